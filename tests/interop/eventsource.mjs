// Opens pages in a headless Chromium, each with an `EventSource`: the scenarios of tests/http/tests/client, the channels
// of tests/http/tests/hub, and the table of faults of tests/migration/originals. Started by these tests, with the
// browser's path, a folder for its data, and the URLs of the streams. Writes one line of JSON for each URL, in the same
// order.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launch } from './chromium.mjs'

const [executablePath, data, ...urls] = process.argv.slice(2)

const PAGE = '<!doctype html><link rel="icon" href="data:,">'

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

// No connections are opened in advance. If a request on one of these fails, the browser sends it again without notice.
mkdirSync(join(data, 'Default'), { recursive: true })
writeFileSync(join(data, 'Default', 'Preferences'), JSON.stringify({ net: { network_prediction_options: 2 } }))

const context = await launch(executablePath, data)
try {
  const seen = await Promise.all(
    urls.map(async (url) => {
      const page = await context.newPage()
      // An empty page of the stream's origin, whose server is asked neither for it nor for an icon.
      const home = new URL('/', url).href
      await page.route(home, (route) => route.fulfill({ contentType: 'text/html', body: PAGE }))
      await page.goto(home)
      await page.unroute(home)
      return page.evaluate(watch, url)
    }),
  )
  for (const lines of seen) console.log(JSON.stringify(lines))
} finally {
  await context.close()
}

// The browser may have left connections open, and Node would wait for them.
process.exit()
