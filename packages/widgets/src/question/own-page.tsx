/** A page a tool sends the person to: where it leads, plainly, and a link that only they can follow. */

import { useWidget } from '../context.ts'
import { LongText } from '../value-list.tsx'

export function OwnPage({ url, onOpen }: { url: string; onOpen: () => void }) {
  const { strings } = useWidget()
  const address = webAddress(url)
  return (
    <>
      <dl class="values">
        <dt>{strings.elicitAddress}</dt>
        <dd>
          <LongText text={url} isExact />
        </dd>
        {address && (
          <>
            <dt>{strings.elicitHost}</dt>
            <dd>
              <b>{address.host}</b>
            </dd>
          </>
        )}
      </dl>
      {address ? (
        <a
          class="button"
          href={address.href}
          target="_blank"
          rel="noopener noreferrer"
          // A script's click is nobody's wish to go there.
          onClick={(event) => (event.isTrusted ? onOpen() : event.preventDefault())}
        >
          {strings.elicitOpen} ↗
        </a>
      ) : (
        <p class="warn">{strings.elicitBlocked}</p>
      )}
    </>
  )
}

/** Only what a browser tab may be sent to: never a script, a file or another app. */
export function webAddress(url: string): URL | undefined {
  const address = URL.canParse(url) ? new URL(url) : undefined
  return address && /^https?:$/.test(address.protocol) ? address : undefined
}
