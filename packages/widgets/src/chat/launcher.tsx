/** The closed chat: a folded square in the corner, with what waits for the person beside it. */

import type { Ref } from 'preact'
import { useWidget } from '../context.ts'
import { allKinds, useRequests } from '../requests/use-requests.ts'
import { requestTitle } from '../requests/request-title.ts'

interface LauncherProps {
  readonly hasSession: boolean
  /** How many other sessions wait for the person. */
  readonly elsewhere: number
  readonly button: Ref<HTMLButtonElement>
  readonly onOpen: () => void
}

export function Launcher({ hasSession, elsewhere, button, onOpen }: LauncherProps) {
  const { strings } = useWidget()
  return (
    <div class="corner">
      {hasSession && <Peek elsewhere={elsewhere} onOpen={onOpen} />}
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

function Peek({ elsewhere, onOpen }: Pick<LauncherProps, 'elsewhere' | 'onOpen'>) {
  const { strings, session } = useWidget()
  const requests = useRequests(allKinds, 0)
  const first = requests[0]
  return (
    <div role="status">
      {(first || elsewhere > 0) && (
        <button class="peek" part="peek" type="button" onClick={onOpen}>
          <span class="count">{first ? requests.length : elsewhere}</span>
          <span class="hidden">{strings.status.asking}</span>
          <span class="words">{first ? requestTitle(first, session, strings) : strings.inbox(elsewhere)}</span>
        </button>
      )}
    </div>
  )
}
