/** The few drawings the widgets use, 16 px, in the colour of the text beside them. */

const paths = {
  check: 'M3.5 8.5l3 3 6-7',
  cross: 'M4 4l8 8M12 4l-8 8',
  alert: 'M8 3.5v6M8 12.3v.2',
  dash: 'M4 8h8',
  unknown: 'M5.5 5.8a2.5 2.5 0 1 1 3.6 2.3q-1.1.6-1.1 1.7M8 12.3v.2',
  ring: 'M8 4.5a3.5 3.5 0 1 0 .01 0',
  dots: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  fold: 'M4 3h5l3.5 3.5V13H4zM9 3v3.5h3.5',
  chevron: 'M6 4l4 4-4 4',
  up: 'M8 13V3.5M3.8 7.5L8 3.3l4.2 4.2',
  down: 'M8 3v9.5M3.8 8.5L8 12.7l4.2-4.2',
  stop: 'M5 5h6v6H5z',
  edit: 'M3 13l.6-2.8L10.8 3l2.2 2.2-7.2 7.2z',
  again: 'M12.5 5.5A5 5 0 1 0 13 8M12.8 2.8v3h-3',
  copy: 'M5.5 5.5V3h7.5v7.5h-2.5M3 5.5h7.5V13H3z',
}

export type IconName = keyof typeof paths

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon ${name}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
