/** Markdown for property tests: lines that mean something else beside each other, in any order. */

import * as fc from 'fast-check'

const lines = [
  ...['text', 'more *text*', 'a **b', '`a', 'x [a] y', '[a](https://b.example)', 'https://b.example/c', '&amp; &copy;'],
  ...[
    '- a',
    '* b',
    '+ c',
    '1. a',
    '2. b',
    '1)  x',
    '-',
    '1.',
    '-   deep',
    '-     code',
    '- ```',
    '- # h',
    '- > q',
    '- [ ] t',
  ],
  ...['  in', '   in3', '    in4', '\tx', '  - n'],
  ...['```', '```js', '~~~', '  ```', '   ```', '    ```'],
  ...['# h', '> q', '>', '> - x', '> ```', '---', '***', '- - -', '==='],
  ...['| a | b |', '|---|---|', 'a | b', '[a]: /u', '[b]: <x', '"title'],
  ...['<div>', '</div>', '<!--', '-->', '<pre>', '</pre>', '<x>', '<?', '?>', '<https://a.b>', '<![CDATA[', ']]>'],
]

const line = fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...lines) }, { weight: 1, arbitrary: fc.constant('') })

export const markdownText = fc.array(line, { minLength: 1, maxLength: 14 }).map((each) => each.join('\n'))
