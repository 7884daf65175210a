// Shared by the scripts for Node: the texts, the gateway's tokens of a text, and how a check fails.

import { readFileSync } from 'node:fs'

export const { GATEWAY, GATEWAY_KEYED, GATEWAY_SLOW, GATEWAY_KEY } = process.env

/** How the gateway is reached. */
export const { VIA } = process.env

export const TEXTS = JSON.parse(readFileSync(new URL('texts.json', import.meta.url), 'utf8')).map(
  ({ name, text, times = 1 }) => ({ name, text: text.repeat(times) }),
)

// `\s` differs from Unicode's White_Space: it lacks U+0085 and contains U+FEFF.
const words = /\P{White_Space}+/gu
const pieces = /^\p{White_Space}+$|(?:^\p{White_Space}+)?\P{White_Space}+\p{White_Space}*/gu

/**
 * Returns the tokens of a text. Each is a word and the white space after it; the first also has the space before it.
 */
export const tokens = (text) => text.match(pieces) ?? []

export const countWords = (text) => (text.match(words) ?? []).length

export class Different extends Error {}

/** Compares two values of arrays, plain objects, strings, numbers and nulls. */
export function same(what, got, expected) {
  if (Array.isArray(got) && Array.isArray(expected)) {
    for (let i = 0; i < Math.max(got.length, expected.length); i++) same(`${what}[${i}]`, got[i], expected[i])
  } else if (shown(got) !== shown(expected)) {
    throw new Different(`${what}\n  got      ${shown(got).slice(0, 400)}\n  expected ${shown(expected).slice(0, 400)}`)
  }
}

/** Returns the value as ASCII JSON with sorted keys. */
function shown(value) {
  const sorted = (_, inner) =>
    inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return (JSON.stringify(value, sorted) ?? 'nothing').replace(/[^ -~]/g, escaped)
}

/**
 * Runs the checks one after the other with these arguments; those in an array run in parallel. Each check returns a
 * line that describes what it checked. Stops after a check that fails or times out.
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
    limit = setTimeout(() => reject(new Different('timed out after 60 s')), 60_000)
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
