/** The closed chat: a folded square in the corner, with what waits for the person beside it. */

import type { Ref } from 'preact'
import { useWidget } from '../context.ts'
import { allKinds, useRequests } from '../requests/use-requests.ts'
import { requestTitle } from '../requests/request-title.ts'

interface LauncherProps {
  readonly hasSession: boolean
  readonly button: Ref<HTMLButtonElement>
  readonly onOpen: () => void
}

export function Launcher({ hasSession, button, onOpen }: LauncherProps) {
  const { strings } = useWidget()
  return (
    <div class="corner">
      {hasSession && <Peek onOpen={onOpen} />}
      <button
        class="launcher"
        part="launcher"
        type="button"
        ref={button}
        aria-label={strings.open}
        aria-expanded="false"
        onClick={onOpen}
      >
        <i class="square" />
        <i class="ear" />
        <i class="lines" />
      </button>
    </div>
  )
}

function Peek({ onOpen }: { onOpen: () => void }) {
  const { strings, session } = useWidget()
  const requests = useRequests(allKinds, 0)
  const first = requests[0]
  return (
    <div role="status">
      {first && (
        <button class="peek" part="peek" type="button" onClick={onOpen}>
          <span class="count">{requests.length}</span>
          <span class="hidden">{strings.status.asking}</span>
          <span class="words">{requestTitle(first, session, strings)}</span>
        </button>
      )}
    </div>
  )
}
