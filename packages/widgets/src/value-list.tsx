/** Any value as labels and values, every leaf of it visible: what a person approves is what they have seen. */

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { spellOut } from '@dogear/core'
import { useWidget } from './context.ts'
import { disguisedHosts } from './disguised-hosts.ts'
import { fieldsOf, record } from './form/json-schema.ts'
import { contentOf, exactText, kindOf, leafText, partsOf } from './value-parts.ts'
import { visibleText } from './visible-text.ts'

interface ValueListProps {
  readonly value: unknown
  /**
   * For a value that is approved: its JSON Schema. Then two values that differ never look the same: names the schema does
   * not know stand as they are, and a long text is told by its hash.
   */
  readonly schema?: unknown
  readonly depth?: number
}

export function ValueList({ value, schema, depth = 0 }: ValueListProps) {
  const { strings } = useWidget()
  const isAll = useSignal(false)
  const parts = partsOf(value, strings)
  if (parts.length === 0) return <Leaf value={value} isExact={schema !== undefined} />
  // A model can nest deeper than any page can draw.
  if (depth > 30) return <LongText text={exactText(value, strings)} isExact />
  const shown = isAll.value || parts.length <= rowLimit + 5 ? parts : parts.slice(0, rowLimit)
  const rest = parts.length - shown.length
  return (
    <dl class="values">
      {shown.map(({ key, label, value: part }) => (
        <Row
          key={key ?? label}
          label={label ?? (schema ? nameText(key!, schema) : visibleText(spellOut(key!)))}
          isWide={partsOf(part, strings).length > 0}
        >
          <ValueList
            value={part}
            schema={schema && ((key === undefined ? record(schema).items : fieldsOf(schema)[key]) ?? {})}
            depth={depth + 1}
          />
        </Row>
      ))}
      {rest > 0 && (
        <div class="wide">
          <dt>
            <button class="link" type="button" data-more={rest} onClick={() => (isAll.value = true)}>
              {strings.moreRows(rest)}
            </button>
          </dt>
        </div>
      )}
    </dl>
  )
}

/** A name the developer gave, in words; one the model made up as it is, or it could pass for the other. */
export function nameText(name: string, schema: unknown): string {
  const words = spellOut(name)
  const known = Object.keys(fieldsOf(schema))
  const isPlain = known.includes(name) && known.every((other) => other === name || spellOut(other) !== words)
  return isPlain ? visibleText(words) : `"${visibleText(name)}"`
}

function Row({ label, isWide, children }: { label: string; isWide: boolean; children: ComponentChildren }) {
  return (
    <div class={isWide ? 'wide' : undefined}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Leaf({ value, isExact }: { value: unknown; isExact: boolean }) {
  const { strings, language } = useWidget()
  if (typeof value === 'string') {
    // "3" is not 3, and "Yes" is not yes: quoted, they do not look the same. A long one has its hash.
    const isOther = [strings.yes, strings.no, strings.none].includes(value) || looksLikeOther.test(value)
    return <LongText text={isExact && isOther && !isFolded(value, isExact) ? `"${value}"` : value} isExact={isExact} />
  }
  if (typeof value === 'boolean') return <>{value ? strings.yes : strings.no}</>
  if (value === null || (value === undefined && !isExact)) return <span class="meta">{strings.none}</span>
  if (value instanceof Blob) return <FileText file={value} />
  const text = leafText(value, language)
  // Some languages write a number with marks that are invisible.
  return typeof value === 'number' ? <>{text}</> : <LongText text={text} isExact />
}

/** Nothing at all, a number, an empty list, what has a name like `⟨Set⟩`, or what begins or ends where it cannot be seen. */
const looksLikeOther = /^(?:[-−]?[\p{Nd}.,٫]+n?|NaN|-?Infinity|\[\]|\{\})?$|^["\s⟨]|\s$/u

/** A file by its name, its type and its bytes; not to be approved before they were read. */
function FileText({ file }: { file: Blob }) {
  const bytes = useSignal<ArrayBuffer | undefined>(undefined)
  useLayoutEffect(() => {
    file.arrayBuffer().then(
      (read) => (bytes.value = read),
      () => {},
    )
  }, [file])
  if (!bytes.value) return <span data-more="1">…</span>
  const { name, type, lastModified } = file as Partial<File>
  const about = JSON.stringify([name, type, lastModified])
  return <LongText text={`⟨${kindOf(file)}⟩ ${about} ${contentOf(bytes.value)}`} isExact />
}

/** Long text by its head and its tail, by its length and its hash, so that nothing hides in the middle unsaid. */
export function LongText({ text, isExact }: { text: string; isExact?: boolean }) {
  const { strings, language } = useWidget()
  const canFold = isFolded(text, isExact)
  const hash = useHash(isExact && canFold ? text : '')
  const isWhole = useSignal(!canFold)
  const hosts = isExact ? disguisedHosts(text) : []
  return (
    <>
      {isWhole.value ? (
        marked(text)
      ) : (
        <>
          {marked(text.slice(0, 400))}
          <button class="link" type="button" onClick={() => (isWhole.value = true)}>
            {`… ${strings.showAll(text.length.toLocaleString(language))} …`}
          </button>
          {marked(text.slice(-100))}
        </>
      )}
      {hash && <span class="meta hash">SHA-256 {hash}</span>}
      {hosts.map((host) => (
        <span class="warn" key={host}>
          {strings.disguised(host)}
        </span>
      ))}
    </>
  )
}

/** Text that hides nothing, with what would hide in it marked. */
export function marked(text: string): ComponentChildren {
  const parts = visibleText(text).split(/(⟨U\+[\dA-F]+⟩)/)
  return parts.map((part, index) => (index % 2 ? <mark key={index}>{part}</mark> : part))
}

const canHash = !!globalThis.crypto?.subtle

function useHash(text: string): string {
  const hash = useSignal('')
  useEffect(() => {
    if (!text) return
    void crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)).then((bytes) => {
      hash.value = Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
    })
  }, [text])
  return hash.value
}

/** What is approved is shown whole where no hash tells it: on plain http, and with half a character in it, which has no bytes. */
function isFolded(text: string, isExact?: boolean): boolean {
  return text.length > 600 && !(isExact && (!canHash || /\p{Cs}/u.test(text)))
}

/** How many rows of one list are drawn before somebody asks for the rest. */
const rowLimit = 50
