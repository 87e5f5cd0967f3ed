/** The outermost box inside a shadow root: keeps the page's styles out, the page's colours and direction in. */

import type { ComponentChildren } from 'preact'
import { useSignal } from '@preact/signals'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { Session } from '@dogear/worker'
import { Widget, type Components, type WidgetContext } from './context.ts'
import type { Emit } from './events.ts'
import { isFramedByOthers } from './framed-by-others.ts'
import { stringsWith, type StringsOverride } from './strings.ts'
import { watchTheme, type Theme } from './theme/watch-theme.ts'
import type { UiState } from './ui-state.ts'

/** What all widgets take. */
export interface WidgetProps {
  session?: Session
  /** `auto` follows the page, the default. */
  theme?: Theme
  /** The colour of the fold, the current step and what is selected; as `--dogear-accent`. */
  accent?: string
  /** Words of your own, instead of the English ones. */
  strings?: StringsOverride
  /** Parts of the chat drawn by you. */
  components?: Components
  /** Shows the cause of an error below its sentence. On loopback it always does. */
  debug?: boolean
  /** `refuse`, the default: nothing is approved while a page of another origin frames this one. `allow`: it is. */
  framed?: 'refuse' | 'allow'
  /** Hears the widget's events; return `false` for what an event listener would `preventDefault()`. */
  onEvent?: Emit
}

interface RootProps extends WidgetProps {
  readonly memory: UiState
  readonly children: ComponentChildren
  /** `data-…` attributes for the style sheet, and for `::part(root)`. */
  readonly data?: Readonly<Record<`data-${string}`, string | undefined>>
}

export function WidgetRoot({ session, theme = 'auto', accent, data, children, ...props }: RootProps) {
  const root = useRef<HTMLDivElement>(null)
  const language = useSignal<string | undefined>(undefined)

  useLayoutEffect(() => {
    const host = hostOf(root.current!)
    language.value = host.closest('[lang]')?.getAttribute('lang') || undefined
    return watchTheme(host, theme, (scheme) => (root.current!.style.colorScheme = scheme))
  }, [theme])
  useLayoutEffect(() => {
    // Not in a style attribute, which a strict Content-Security-Policy would drop.
    if (accent) root.current!.style.setProperty('--dogear-accent', accent)
    else root.current!.style.removeProperty('--dogear-accent')
  }, [accent])

  const { strings, components, memory, debug, framed, onEvent } = props
  // The same object while nothing changes: a new one would draw every message again.
  const context = useMemo<WidgetContext>(
    () => ({
      // Views that need a session are rendered only once there is one.
      session: session!,
      strings: stringsWith(strings),
      language: language.value,
      components: components ?? {},
      memory,
      debug: debug ?? isLoopback(),
      isRefused: framed !== 'allow' && isFramedByOthers(),
      emit: onEvent ?? (() => true),
    }),
    [session, strings, language.value, components, memory, debug, framed, onEvent],
  )
  return (
    <div class="root" part="root" ref={root} {...data}>
      <Widget.Provider value={context}>{children}</Widget.Provider>
    </div>
  )
}

function hostOf(element: Element): Element {
  const root = element.getRootNode()
  return root instanceof ShadowRoot ? root.host : element
}

function isLoopback(): boolean {
  return /^(localhost|.*\.localhost|127\..*|\[::1\]|)$/.test(location.hostname)
}
