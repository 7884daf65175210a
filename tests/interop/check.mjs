// What the scripts for Node have in common: the texts, what the gateway makes of them, and how a check fails.

import { readFileSync } from 'node:fs'

export const { GATEWAY, GATEWAY_KEYED, GATEWAY_SLOW, GATEWAY_KEY } = process.env

// The name of the model in answers, and how the gateway is reached; the proxy changes both.
export const { MODEL, VIA } = process.env

export const TEXTS = JSON.parse(readFileSync(new URL('texts.json', import.meta.url), 'utf8')).map(
  ({ name, text, times = 1 }) => ({ name, text: text.repeat(times) }),
)

// `\s` is not quite Unicode's White_Space: it lacks U+0085 and has U+FEFF.
const words = /\P{White_Space}+/gu
const pieces = /^\p{White_Space}+$|(?:^\p{White_Space}+)?\P{White_Space}+\p{White_Space}*/gu

/** Each a word with the white space after it, the first with that before it too. */
export const tokens = (text) => text.match(pieces) ?? []

export const countWords = (text) => (text.match(words) ?? []).length

export class Different extends Error {}

/** Compares two values that are made of arrays, plain objects, strings, numbers and nulls. */
export function same(what, got, expected) {
  if (Array.isArray(got) && Array.isArray(expected)) {
    for (let i = 0; i < Math.max(got.length, expected.length); i++) same(`${what}[${i}]`, got[i], expected[i])
  } else if (shown(got) !== shown(expected)) {
    throw new Different(`${what}\n  got      ${shown(got).slice(0, 400)}\n  expected ${shown(expected).slice(0, 400)}`)
  }
}

/** As JSON in ASCII, the keys in their order. */
function shown(value) {
  const sorted = (_, inner) =>
    inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return (JSON.stringify(value, sorted) ?? 'nothing').replace(/[^ -~]/g, escaped)
}

/**
 * Runs the checks one after the other, and those in an array side by side, with these arguments; each gives the line that says what it
 * checked. After one that fails, or is not done in time, no others are begun.
 */
export async function run(kind, checks, ...more) {
  for (const group of checks) {
    const passed = await Promise.all([group].flat().map((check) => isPassed(kind, check, more)))
    if (passed.includes(false)) {
      process.exitCode = 1
      return
    }
  }
}

async function isPassed(kind, check, more) {
  let limit
  const late = new Promise((_, reject) => {
    limit = setTimeout(() => reject(new Different('not done after 60 s')), 60_000)
  })
  try {
    console.log(`ok: ${kind}${VIA}: ${await Promise.race([check(...more), late])}`)
    return true
  } catch (error) {
    console.error(`FAILED: ${kind}${VIA}: ${check.name}: ${error instanceof Different ? error.message : error.stack}`)
    return false
  } finally {
    clearTimeout(limit)
  }
}
