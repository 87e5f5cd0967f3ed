/** Text that hides nothing: characters that are invisible, or that reorder what is read, are shown by their number. */

export function visibleText(text: string): string {
  return text.replace(
    hidden,
    (character) => `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
}

// Controls but tab and line feed, format characters (bidi, zero-width, tags), halves of a character, blank letters,
// variation selectors; and what would look like one of these numbers, but is only written so.
const hidden = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|⟨(?=U\+)/gu
