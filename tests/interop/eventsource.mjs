// Opens pages in a headless Chromium, each with an `EventSource`: the scenarios of tests/http/tests/client, and the
// channels of tests/http/tests/hub. Started by these tests, with the browser's path, a folder for its data, and the
// URLs of the streams. Writes one line of JSON for each URL, in the same order.

import { launch } from './chromium.mjs'

const [executablePath, data, ...urls] = process.argv.slice(2)

/** Runs in the page. Returns what the source reports until it is closed, as happens in every test. */
const watch = (url) =>
  new Promise((resolve) => {
    const source = new EventSource(url)
    const seen = []
    const end = () => {
      clearTimeout(limit)
      source.close()
      resolve(seen)
    }
    const limit = setTimeout(() => {
      seen.push('not closed after 40 s')
      end()
    }, 40_000)
    source.onopen = () => seen.push('open')
    source.onerror = () => {
      const isClosed = source.readyState === EventSource.CLOSED
      seen.push(isClosed ? 'closed' : 'reconnecting')
      // Later lines would show that it connects again.
      if (isClosed) setTimeout(end, 300)
    }
    for (const type of ['message', 'tick', 'gap', 'prices', 'chat'])
      source.addEventListener(type, ({ data, lastEventId }) => seen.push(`${type}|${data}|${lastEventId}`))
  })

const context = await launch(executablePath, data)
try {
  const seen = await Promise.all(
    urls.map(async (url) => {
      const page = await context.newPage()
      await page.goto(new URL('/', url).href)
      // The server closes connections that were opened in advance and have been unused for a second.
      await page.waitForTimeout(1500)
      return page.evaluate(watch, url)
    }),
  )
  for (const lines of seen) console.log(JSON.stringify(lines))
} finally {
  await context.close()
}

// The browser may have left connections open, and Node would wait for them.
process.exit()
