// The slow checks, in a headless Chromium: 80 MB of parts on one page, and a server that is down. Started by `run`,
// in the folder that contains `playwright-core`, with the paths of the program `page`, of the browser, of the page's
// folder, and of a folder for the browser's data.

import { setTimeout } from 'node:timers/promises'

import { Different, run } from '../check.mjs'
import { launch } from '../chromium.mjs'
import * as live from './live.mjs'
import { begin, close, part, wav } from './site.mjs'
import { visitSite } from './visit.mjs'

const [, executablePath, folder, data] = process.argv.slice(2)

const ROUNDS = 40
// After this many rounds, the page has allocated what it needs.
const FIRST_ROUNDS = 10
const SOUNDS = 2
const IMAGES = 18
const SIZE = 100_000
// How much each may grow, in bytes, for the text of the page and for data in transit. One round is 2 MB.
const GROWTH = { wasm: 524_288, scripts: 500_000, nodes: 2_000_000, buffers: 1_000_000, urls: 0 }

/** Runs in the page. Counts the object URLs that exist. */
function watch() {
  globalThis.urls = new Set()
  const { createObjectURL, revokeObjectURL } = URL
  URL.createObjectURL = (object) => {
    const url = createObjectURL.call(URL, object)
    globalThis.urls.add(url)
    return url
  }
  URL.revokeObjectURL = (url) => {
    globalThis.urls.delete(url)
    return revokeObjectURL.call(URL, url)
  }
}

/** Runs in the page. Waits until an image of this width is shown. */
async function shown(width) {
  const image = document.getElementById('talk-drawing')
  for (
    const end = Date.now() + 20_000;
    image.naturalWidth !== width;
    await new Promise((resolve) => setTimeout(resolve, 5))
  )
    if (Date.now() > end) throw new Error(`after 20 s the image is ${image.naturalWidth} pixels wide, not ${width}`)
}

/**
 * Returns the memory of the page, in bytes, and the number of object URLs: the least of several samples, because
 * garbage is collected late.
 */
async function occupied(page, session) {
  let least
  for (let samples = 0; samples < 10; samples++) {
    await setTimeout(50)
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize, embedderHeapUsedSize, backingStorageSize } = await session.send('Runtime.getHeapUsage')
    const [wasm, urls] = await page.evaluate(async () => {
      const { memory } = await (await import('/pkg/page.js')).default()
      return [memory.buffer.byteLength, globalThis.urls.size]
    })
    const now = { wasm, scripts: usedSize, nodes: embedderHeapUsedSize, buffers: backingStorageSize, urls }
    for (const name of Object.keys(now)) now[name] = Math.min(now[name], least?.[name] ?? Infinity)
    least = now
  }
  return least
}

async function memory(browser) {
  const found = []
  let response
  const answer = (_, of) => {
    response = of
    begin(response)
  }
  // The next part is sent after this one is shown. Otherwise the memory would also grow with what the browser passes
  // on at once.
  const sendRound = async (page, round) => {
    for (let at = 1; at <= IMAGES; at++) {
      const width = 100 * round + at
      const start = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="9"><!--`
      await part(response, 'image/svg+xml', `${start.padEnd(SIZE - 9, 'x')}--></svg>`)
      await page.evaluate(shown, width)
    }
    for (let at = 1; at <= SOUNDS; at++) {
      const sentence = { Sentence: SOUNDS * round + at }
      await part(response, 'text/plain; charset=utf-8', `Sentence ${SOUNDS * round + at}. `, sentence)
      await part(response, 'audio/wav', wav(SIZE / 2, 192_000), sentence)
    }
  }
  return visitSite(browser, folder, { '/talk': answer }, async ({ view }) => {
    const session = await view.page.context().newCDPSession(view.page)
    await view.page.evaluate(watch)
    await view.send('talk', 'Say very much.')
    await view.until('the request arrived', () => response)
    for (let round = 0; round < ROUNDS; round++) {
      await sendRound(view.page, round)
      const count = SOUNDS * (round + 1)
      const isPlayed = ({ talk }) => talk.sounds.length === count && talk.sounds.every((sound) => sound === 'played')
      await view.until(`${count} sounds were played`, isPlayed)
      if (round === FIRST_ROUNDS - 1 || round === ROUNDS - 1) found.push(await occupied(view.page, session))
    }
    close(response)
    await view.until('complete', ({ talk }) => talk.state === 'complete')
    const [first, last] = found
    const line = `after ${2 * FIRST_ROUNDS} and ${2 * ROUNDS} MB of parts: ${Object.keys(first)
      .map((name) => `${name} ${first[name]}, ${last[name]}`)
      .join('; ')}`
    const grown = Object.keys(first).filter((name) => last[name] > first[name] + GROWTH[name])
    if (grown.length) throw new Different(`${grown} have grown: ${line}`)
    return line
  })
}

const browser = await launch(executablePath, data, ['--autoplay-policy=no-user-gesture-required'])
try {
  await run('page', [memory, live.away], browser)
} finally {
  await browser.close()
}

// A failed check may leave connections open, and Node would wait for them.
process.exit()
