/** SHA-256 (FIPS 180-4), synchronous: a transaction does not wait for a promise that is not its own. */
import type { Hash } from '@dogear/core'

export const sha256: Hash = {
  sha256(text) {
    const words = paddedWords(encoder.encode(text))
    state.set(start)
    for (let at = 0; at < words.length; at += 16) compress(words, at)
    let hex = ''
    for (let index = 0; index < 8; index += 1) hex += (state[index]! >>> 0).toString(16).padStart(8, '0')
    return hex
  },
}

// Made once: a hash is taken for every call of a tool. Signed, for V8 keeps an unsigned word as a float.
const encoder = new TextEncoder()
const start = Int32Array.from(roots(2, 8))
const constants = Int32Array.from(roots(3, 64))
const schedule = new Int32Array(64)
const state = new Int32Array(8)

/** The first 32 bits of the fractional parts of the square (2) or cube (3) roots of the first primes. */
function roots(degree: 2 | 3, count: number): number[] {
  const found: number[] = []
  for (let candidate = 2; found.length < count; candidate += 1) {
    let divisor = 2
    while (candidate % divisor !== 0) divisor += 1
    if (divisor !== candidate) continue
    const root = candidate ** (1 / degree)
    found.push((root - Math.floor(root)) * 2 ** 32)
  }
  return found
}

/** The message, a one bit, zeros, and its length in bits, as big-endian words. */
function paddedWords(bytes: Uint8Array): Int32Array {
  const words = new Int32Array(((bytes.length + 8) >> 6) * 16 + 16)
  for (let index = 0; index < bytes.length; index += 1) words[index >> 2]! |= bytes[index]! << (24 - (index % 4) * 8)
  words[bytes.length >> 2]! |= 0x80 << (24 - (bytes.length % 4) * 8)
  words[words.length - 2] = bytes.length / 2 ** 29
  words[words.length - 1] = bytes.length << 3
  return words
}

function compress(words: Int32Array, at: number): void {
  for (let index = 0; index < 16; index += 1) schedule[index] = words[at + index]!
  for (let index = 16; index < 64; index += 1) {
    const near = schedule[index - 2]!
    const far = schedule[index - 15]!
    const sigma0 = rotated(far, 7) ^ rotated(far, 18) ^ (far >>> 3)
    const sigma1 = rotated(near, 17) ^ rotated(near, 19) ^ (near >>> 10)
    schedule[index] = schedule[index - 16]! + sigma0 + schedule[index - 7]! + sigma1
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
  for (let index = 0; index < 64; index += 1) {
    const sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
    const first = (h + sum1 + ((e & f) ^ (~e & g)) + constants[index]! + schedule[index]!) | 0
    const sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
    const second = sum0 + ((a & b) ^ (a & c) ^ (b & c))
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  const mixed = [a, b, c, d, e, f, g, h]
  mixed.forEach((word, index) => (state[index]! += word))
}

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}
