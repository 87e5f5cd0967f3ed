/** A conversation that has not begun: a greeting and a few ways in. */

import { useWidget } from '../context.ts'

interface EmptyStateProps {
  readonly greeting?: string
  readonly starters?: readonly string[]
  readonly onPick: (text: string) => void
}

export function EmptyState({ greeting, starters = [], onPick }: EmptyStateProps) {
  const { strings } = useWidget()
  return (
    <div>
      <i class="drawing">
        <i class="ear" />
      </i>
      <p class="greeting">{greeting ?? strings.greeting}</p>
      <p class="meta">{strings.introduction}</p>
      {starters.length > 0 && (
        <ul class="starters">
          {starters.slice(0, 4).map((starter) => (
            <li key={starter}>
              <button type="button" onClick={() => onPick(starter)}>
                {starter}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
