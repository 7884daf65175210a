// 20 MB of parts on one page in a headless Chromium. Run by `run`, from the folder where `playwright-core` is, with the path of the
// program `talk`, the browser's, the folder of the page, and a folder for the browser's data.

import { Different, run, same } from '../check.mjs'
import { launch } from '../chromium.mjs'
import { begin, close, part, wav } from './site.mjs'
import { visitSite } from './visit.mjs'

const [, executablePath, folder, data] = process.argv.slice(2)

const ROUNDS = 10
const SOUNDS = 2
const IMAGES = 18
const SIZE = 100_000
// What may be used for more nodes of the page, in bytes. One round is 2 MB.
const GROWTH = 500_000

/** In the page: counts the URLs of objects that exist. */
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

/** What the page occupies, in bytes, and how many URLs of objects there are. */
async function occupied(page, session) {
  for (let times = 0; times < 3; times++) await session.send('HeapProfiler.collectGarbage')
  const { usedSize, embedderHeapUsedSize, backingStorageSize } = await session.send('Runtime.getHeapUsage')
  const [wasm, urls] = await page.evaluate(async () => {
    const { memory } = await (await import('/pkg/page.js')).default()
    return [memory.buffer.byteLength, globalThis.urls.size]
  })
  return { wasm, 'heap of the scripts': usedSize, 'heap of the page': embedderHeapUsedSize, buffers: backingStorageSize, urls }
}

async function memory(browser) {
  const rounds = []
  let response
  const answer = (_, of) => {
    response = of
    begin(response)
  }
  const sendRound = async (round) => {
    for (let at = 0; at < IMAGES; at++) {
      const start = `<svg xmlns="http://www.w3.org/2000/svg" width="${100 * round + at + 1}" height="9"><!--`
      await part(response, 'image/svg+xml', `${start.padEnd(SIZE - 9, 'x')}--></svg>`)
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
    await view.until('it is asked', () => response)
    for (let round = 0; round < ROUNDS; round++) {
      await sendRound(round)
      const count = SOUNDS * (round + 1)
      const isPlayed = ({ talk }) => talk.sounds.length === count && talk.sounds.every((sound) => sound === 'played')
      await view.until(`${count} sounds are played`, isPlayed)
      const width = () => document.getElementById('talk-drawing').naturalWidth
      same('the last image', await view.page.evaluate(width), 100 * round + IMAGES)
      rounds.push(await occupied(view.page, session))
    }
    close(response)
    await view.until('complete', ({ talk }) => talk.state === 'complete')
    console.table(rounds)
    const [first, last] = [rounds[0], rounds.at(-1)]
    for (const [name, bytes] of Object.entries(first)) {
      const limit = name === 'urls' ? 0 : GROWTH
      if (last[name] > bytes + limit) throw new Different(`${name}: from ${bytes} after 2 MB to ${last[name]} after ${2 * ROUNDS} MB`)
    }
    const of = (name) => `${name} ${first[name]} and ${last[name]}`
    return `after 2 and ${2 * ROUNDS} MB of parts: ${Object.keys(first).map(of).join(', ')}`
  })
}

const browser = await launch(executablePath, data, ['--autoplay-policy=no-user-gesture-required'])
try {
  await run('page', [memory], browser)
} finally {
  await browser.close()
}

// A check that failed may have left connections open, for which Node would wait.
process.exit()
