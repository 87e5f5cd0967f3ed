/** The name of a user's database: two users never share one. */

export function databaseName(user?: string, name = 'dogear'): string {
  return user === undefined ? name : `${name}:${user.replace(/[^\w.@-]/g, escapeUnit)}`
}

/** By code unit: encodeURIComponent throws on half of a surrogate pair, and a user id may be any string. */
function escapeUnit(unit: string): string {
  return `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
