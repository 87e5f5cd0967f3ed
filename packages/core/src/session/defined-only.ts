/** Without the keys that say nothing: a record is kept, and compared, without them. */
export function definedOnly<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, set]) => set !== undefined)) as Partial<T>
}
