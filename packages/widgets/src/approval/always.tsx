/** Whether it asks the next time: the rule that would be made, word for word, and how long it would hold. */

import type { Request } from '@dogear/core'
import { useWidget } from '../context.ts'
import { Icon } from '../icon.tsx'
import { marked } from '../value-list.tsx'

export type AlwaysChoice = 'never' | 'session' | 'user'

interface AlwaysProps {
  readonly rule: NonNullable<Request['always']>['rule']
  readonly choice: AlwaysChoice
  readonly onChange: (choice: AlwaysChoice) => void
}

export function Always({ rule, choice, onChange }: AlwaysProps) {
  const { strings } = useWidget()
  return (
    <details class="aside">
      <summary>
        {strings.always[choice]}
        <Icon name="chevron" />
      </summary>
      <p class="meta">{strings.alwaysRule}</p>
      <p class="rule">{marked(rule)}</p>
      {(['never', 'session', 'user'] as const).map((each) => (
        <label key={each}>
          <input type="radio" name="always" checked={choice === each} onChange={() => onChange(each)} />{' '}
          {strings.always[each]}
        </label>
      ))}
    </details>
  )
}
