/** The words of a rendered answer that are not the model's. */

export const markdownEnglish = {
  code: 'Code',
  copy: 'Copy',
  copied: 'Copied',
  copySelected: 'Selected. Press Ctrl+C or ⌘C to copy.',
  table: 'Table',
  taskDone: 'Done',
  taskOpen: 'Not done',
  image: (host: string) => `Image from ${host} – not loaded`,
  imageLoad: 'Load image',
}

export type MarkdownStrings = typeof markdownEnglish
