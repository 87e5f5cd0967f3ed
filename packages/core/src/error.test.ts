import { expect, test } from 'vitest'
import { describeError, DogearError, fromErrorData, isAbort, toErrorData } from './error.ts'

test('an error crosses a wire as data and is itself again', () => {
  const error = new DogearError('rate-limited', 'Try later.', { cause: new Error('429'), details: { retryAfter: 3 } })
  const rebuilt = fromErrorData(structuredClone(toErrorData(error)))
  expect(rebuilt).toBeInstanceOf(DogearError)
  expect(rebuilt).toMatchObject({
    code: 'rate-limited',
    message: 'Try later.',
    details: { retryAfter: 3 },
    cause: '429',
  })
})

test('a stop is told from a failure', () => {
  expect(toErrorData(new DOMException('stopped', 'AbortError'))).toEqual({ code: 'aborted', message: 'Stopped.' })
  expect(isAbort(new DogearError('aborted', 'Stopped.'))).toBe(true)
  expect(isAbort(new Error('no'))).toBe(false)
  expect(isAbort(null)).toBe(false)
})

test('whatever is thrown has words', () => {
  const hostile = {
    get message(): string {
      throw new Error('again')
    },
  }
  expect(describeError(new TypeError(''))).toBe('TypeError')
  expect(describeError({ message: 'like an error' })).toBe('like an error')
  expect(describeError('text')).toBe('text')
  expect(describeError(hostile)).toBe('an error that cannot be read')
  expect(toErrorData(hostile).code).toBe('internal')
})
