/** Small questions about a value that may be anything, and how they are put together. */

export type Check = (value: unknown) => boolean

export const text: Check = (value) => typeof value === 'string'
export const flag: Check = (value) => typeof value === 'boolean'
export const count: Check = (value) => Number.isFinite(value)
export const whole: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0
/** A date that is none throws when it is written out. */
export const time: Check = (value) => count(value) && Math.abs(value as number) <= 8.64e15
export const object: Check = (value) => isObject(value)

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function maybe(check: Check): Check {
  return (value) => value === undefined || check(value)
}

export function orNull(check: Check): Check {
  return (value) => value === null || check(value)
}

export function list(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check)
}

export function map(check: Check): Check {
  return (value) => isObject(value) && Object.values(value).every(check)
}

export function either(one: Check, other: Check): Check {
  return (value) => one(value) || other(value)
}

export function shape(fields: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(fields)
  return (value) => isObject(value) && checks.every(([key, check]) => check(value[key]))
}
