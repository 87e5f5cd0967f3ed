/** A long answer with every kind of formatting, about something worth reading. */
import type { Script } from '../reply.ts'

export const longAnswer: Script = ({ said }) =>
  /\blong (answer|text|reply|message)\b|\bmarkdown\b|\bformatting\b/i.test(said) ? { text } : undefined

const text = `# A better cup of coffee at home

Most of what makes coffee good happens before the water boils. This is a short guide, written by a script, with nothing in it that you could not taste for yourself.

## What matters, in order

1. **Fresh beans.** Two to four weeks after roasting is the sweet spot.
2. **An even grind.** Uneven grounds are bitter *and* sour at once.
   - Burr grinders crush to one size.
   - Blade grinders chop to every size.
     - If a blade is all you have, shake it while it runs.
3. **Clean water**, just off the boil.
4. Patience, which costs nothing.

## Three ways to brew

| Method | Grind | Ratio | Time | Tastes |
| :-- | :-- | --: | --: | :-- |
| Pour-over | Medium | 1 : 16 | 3 min | Clear, bright |
| French press | Coarse | 1 : 15 | 5 min | Round, heavy |
| Moka pot | Fine | 1 : 10 | 6 min | Strong, dark |

The ratio is coffee to water by weight. A scale helps more than any machine, and the sum is small enough for one line:

\`\`\`ts
/** Grams of coffee for a mug, at the ratio you like. */
function dose(water: number, ratio = 16): number {
  return Math.round((water / ratio) * 10) / 10
}

dose(250) // 15.6
\`\`\`

> Change one thing at a time, and write it down. Otherwise you will make the best cup of your life by accident and never find it again.

## Tomorrow morning

- [x] Buy beans with a roasting date on the bag
- [x] Rinse the filter with hot water
- [ ] Weigh the coffee once, just to see
- [ ] Wait \`30 s\` after the first pour, until it stops bubbling

### If it tastes wrong

- **Sour?** Grind finer, or pour more slowly.
- **Bitter?** Grind coarser, or let the water cool for a minute.
- **Thin?** More coffee. It is nearly always more coffee.

---

This answer was made to show formatting while it streams: headings, nested and numbered lists, a task list, a table, code, a quote, a rule and a [link to the notation itself](https://commonmark.org/help/). Reload the page halfway and it will go on from the same word.`
