// Reads the gateway's plain events with the `EventSource` of a headless Chromium. Started by `run`, in the folder
// that contains `playwright-core`, with the browser's path and a folder for its data.

import { GATEWAY, GATEWAY_KEY, GATEWAY_KEYED, GATEWAY_SLOW, TEXTS, run, same, tokens } from './check.mjs'
import { launch } from './chromium.mjs'

const [executablePath, data] = process.argv.slice(2)

// Servers and proxies may refuse a longer request line.
const LONGEST_QUERY = 8000

const eventsUrl = (gateway, text, more = {}) => `${gateway}/v1/events?${new URLSearchParams({ text, ...more })}`

/** Returns the expected events of a text. In the data, every line break is read as LF. */
function expected(text) {
  const words = tokens(text).map((token) => ({ type: 'word', data: token.replace(/\r\n|\r/g, '\n') }))
  return [...words, { type: 'done', data: '[DONE]' }].map((event, i) => ({ ...event, lastEventId: `${i + 1}` }))
}

// --- In the page

/** Returns the events before `done`. */
const collect = (url) =>
  new Promise((resolve, reject) => {
    const source = new EventSource(url)
    const events = []
    const end = (settle, value) => {
      clearTimeout(limit)
      source.close()
      settle(value)
    }
    const limit = setTimeout(() => end(reject, new Error(`timed out after 20 s and ${events.length} events`)), 20_000)
    for (const type of ['message', 'word', 'done'])
      source.addEventListener(type, ({ data, lastEventId }) => {
        events.push({ type, data, lastEventId })
        if (type === 'done') end(resolve, events)
      })
    source.onerror = () =>
      end(reject, new Error(`error after ${events.length} events: ${JSON.stringify(events).slice(-200)}`))
  })

/** Returns whether the source fails at once, as it does for each status except 200. */
const failed = (url) =>
  new Promise((resolve) => {
    const source = new EventSource(url)
    const end = (result) => {
      clearTimeout(limit)
      source.close()
      resolve(result)
    }
    const limit = setTimeout(() => end('neither open nor failed after 20 s'), 20_000)
    source.onopen = () => end('open')
    source.onerror = () => end(source.readyState === EventSource.CLOSED ? 'failed' : 'tries again')
  })

/** Reads a second source to its end while a first one is open, then closes the first one early. */
const during = ([long, short]) =>
  new Promise((resolve, reject) => {
    const source = new EventSource(long)
    const ends = []
    const end = (settle, value) => {
      clearTimeout(limit)
      source.close()
      settle(value)
    }
    const limit = setTimeout(() => end(reject, new Error(`after 20 s: ${ends}`)), 20_000)
    source.addEventListener('done', () => end(reject, new Error('the long stream ended')))
    source.onerror = () => end(reject, new Error('the long stream failed'))
    source.addEventListener(
      'word',
      () => {
        const other = new EventSource(short)
        const events = []
        for (const type of ['word', 'done'])
          other.addEventListener(type, ({ data, lastEventId }) => {
            events.push({ type, data, lastEventId })
            if (type === 'done') {
              other.close()
              end(resolve, events)
            }
          })
      },
      { once: true },
    )
  })

// --- The checks

let page

async function open(address) {
  await page.goto(`${address}/v1/models`)
}

async function eventsOfEveryText() {
  await open(GATEWAY)
  const texts = TEXTS.filter(({ text }) => eventsUrl(GATEWAY, text).length <= LONGEST_QUERY)
  let count = 0
  for (const { name, text } of texts) {
    const events = await page.evaluate(collect, eventsUrl(GATEWAY, text))
    same(name, events, expected(text))
    count += events.length
  }
  return `${count} events of ${texts.length} texts`
}

async function apiKey() {
  const url = eventsUrl(GATEWAY_KEYED, 'hello', { api_key: GATEWAY_KEY })
  await open(GATEWAY_KEYED)
  same('right key', await page.evaluate(collect, url), expected('hello'))
  same('wrong key', await page.evaluate(failed, `${url}x`), 'failed')
  same('no key', await page.evaluate(failed, eventsUrl(GATEWAY_KEYED, 'hello')), 'failed')
  return 'API key: right, wrong, none'
}

async function sideBySide() {
  await open(GATEWAY_SLOW)
  // This stream takes far longer than the others.
  const long = eventsUrl(GATEWAY_SLOW, 'w '.repeat(2000))
  const short = eventsUrl(GATEWAY_SLOW, 'a b c')
  same('the short stream', await page.evaluate(during, [long, short]), expected('a b c'))
  same('after closing', await page.evaluate(collect, short), expected('a b c'))
  return 'parallel sources, and one closed early'
}

const context = await launch(executablePath, data)
try {
  page = await context.newPage()
  await run('browser', [eventsOfEveryText, apiKey, sideBySide])
} finally {
  await context.close()
}

// A failed check may leave connections open, and Node would wait for them.
process.exit()
