/** Any value as labels and values, every leaf of it visible: what a person approves is what they have seen. */

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { spellOut } from '@dogear/core'
import { useWidget } from './context.ts'
import { visibleText } from './visible-text.ts'

export function ValueList({ value }: { value: unknown }) {
  if (!isBranch(value)) return <Leaf value={value} />
  const isList = Array.isArray(value)
  return (
    <dl class="values">
      {Object.entries(value).map(([key, entry]) => (
        <Row key={key} label={isList ? String(Number(key) + 1) : visibleText(spellOut(key))} isWide={isBranch(entry)}>
          <ValueList value={entry} />
        </Row>
      ))}
    </dl>
  )
}

function Row({ label, isWide, children }: { label: string; isWide: boolean; children: ComponentChildren }) {
  return (
    <div class={isWide ? 'wide' : undefined}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Leaf({ value }: { value: unknown }) {
  const { strings, language } = useWidget()
  if (typeof value === 'string') return <LongText text={value} />
  if (typeof value === 'number')
    return <>{value.toLocaleString(language, { maximumSignificantDigits: 21, useGrouping: false })}</>
  if (typeof value === 'boolean') return <>{value ? strings.yes : strings.no}</>
  return <span class="meta">{strings.none}</span>
}

/** Long text by its head and its tail, and by its length, so that nothing hides in the middle unsaid. */
export function LongText({ text }: { text: string }) {
  const { strings, language } = useWidget()
  const isWhole = useSignal(text.length <= 600)
  if (isWhole.value) return <>{visibleText(text)}</>
  return (
    <>
      {visibleText(text.slice(0, 400))}
      <button class="link" type="button" onClick={() => (isWhole.value = true)}>
        {`… ${strings.showAll(text.length.toLocaleString(language))} …`}
      </button>
      {visibleText(text.slice(-100))}
    </>
  )
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}
