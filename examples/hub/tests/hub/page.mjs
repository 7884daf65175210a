// Checks the page in a headless Chromium. Started by `chromium.rs`, in a folder with `playwright-core`, with the
// browser's path, the URL of a server, and that of one that keeps 3 events.

import assert from 'node:assert/strict'
import { chromium } from 'playwright-core'

const [executablePath, url, small] = process.argv.slice(2)
const browser = await chromium.launch({ executablePath, timeout: 30_000, args: ['--no-sandbox', '--disable-gpu'] })

/** Opens the page on a topic of its own, at this width. */
async function open(base, topic, width, colorScheme = 'light') {
  const page = await browser.newPage({ viewport: { width, height: 740 }, colorScheme })
  page.setDefaultTimeout(30_000)
  page.on('pageerror', (error) => assert.fail(error))
  // Such as a response that is an error.
  // A topic that is refused on purpose is reported there, too.
  page.on('console', (message) => {
    const isExpected = message.location().url.includes('/topics/countdown')
    assert(message.type() !== 'error' || isExpected, message.text())
  })
  await page.goto(`${base}/?topic=${topic}`)
  await connected(page)
  return page
}

/** Fails if the page is wider than its window, or a part of this element is not in the window. */
async function fits(page, element) {
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true)
  const isWhole = (element) => {
    const box = element.getBoundingClientRect()
    const ends = [...element.children].map((child) => child.getBoundingClientRect().right)
    return element.scrollWidth <= element.clientWidth && Math.max(box.right, ...ends) <= innerWidth
  }
  assert.equal(await element.evaluate(isWhole), true, await element.textContent())
}

const connected = (page) => page.waitForFunction(() => document.querySelectorAll('section.open').length === 2)

async function send(page, text) {
  await page.fill('input', text)
  await page.click('text="Send"')
  await page.waitForFunction(() => document.querySelector('input').value === '')
}

/** Waits until a window, 0 or 1, has exactly these rows. */
async function shows(page, index, rows) {
  const read = () => page.locator('main section').nth(index).locator('li').allTextContents()
  const limit = Date.now() + 30_000
  let seen = await read()
  while (seen.length < rows.length && Date.now() < limit) {
    await page.waitForTimeout(20)
    seen = await read()
  }
  assert.deepEqual(seen, rows)
}

const button = (page, index) => page.locator('main section').nth(index).locator('button')

/** Windows that are cut from now on stay away until they are told to return. */
const stayAway = (page) => page.evaluate(() => (window.setInterval = () => 0))

/** What the drawer lists, the oldest request first. */
const wire = (page) =>
  page.evaluate(() => {
    const text = (element, selector) => element.querySelector(selector).textContent
    const described = (element) => ({
      request: text(element, '.wire-request'),
      id: text(element, '.wire-id'),
      head: text(element, '.wire-head'),
      state: element.dataset.state,
      lines: [...element.querySelectorAll('.wire-lines > div > div')].map((line) => line.textContent),
    })
    return [...document.querySelectorAll('.wire-list > details')].map(described).reverse()
  })

/** The IDs of the events that the page has sent. */
async function sent(page) {
  const posts = (await wire(page)).filter(({ request }) => request.startsWith('POST '))
  return posts.map(({ lines }) => JSON.parse(lines[0]).id)
}

async function replay() {
  const page = await open(url, 'replay', 1200)
  // The window that is cut has not had an event before. It returns by itself.
  await button(page, 0).click()
  await send(page, 'one')
  await send(page, '<b>two</b> & more')
  await connected(page)
  await send(page, 'three')
  // The first event begins the topic.
  const [begin] = await sent(page)
  const first = ['cut', `resumed after ID ${begin}`, 'one', '<b>two</b> & more', 'caught up with 2 events', 'three']
  await shows(page, 0, first)
  await stayAway(page)
  await button(page, 0).click()
  await send(page, 'four')
  await shows(page, 1, ['one', '<b>two</b> & more', 'three', 'four'])
  await shows(page, 0, [...first, 'cut'])
  await button(page, 0).click()
  const [, , , three, four] = await sent(page)
  const second = [...first, 'cut', `resumed after ID ${three}`, 'four', 'caught up with 1 event']
  await shows(page, 0, second)
  await button(page, 0).click()
  await button(page, 0).click()
  await shows(page, 0, [...second, 'cut', `resumed after ID ${four}; nothing came in between`])
  assert.equal(await page.locator('b, .gap').count(), 0)
}

/** The drawer lists the streams, and what is cut is closed. */
async function drawer() {
  const page = await open(url, 'drawer', 360)
  const toggle = page.locator('#wire-toggle')
  assert.equal(await toggle.getAttribute('aria-expanded'), 'false')
  await toggle.press('Enter')
  assert.equal(await toggle.getAttribute('aria-expanded'), 'true')
  await send(page, '<b>bold</b>')
  await shows(page, 0, ['<b>bold</b>'])
  await button(page, 0).click()
  await button(page, 0).click()
  await connected(page)
  const [begin, bold] = await sent(page)
  const streams = (await wire(page)).filter(({ request }) => request === 'GET /topics/drawer')
  const head = '200 text/event-stream'
  assert.deepEqual(
    streams.map(({ id, head, state }) => [id, head, state]),
    [
      [`Last-Event-ID: ${begin}`, head, 'aborted'],
      [`Last-Event-ID: ${begin}`, head, 'open'],
      [`Last-Event-ID: ${bold}`, head, 'open'],
    ],
  )
  const data = 'data: {"topic":"drawer","data":{"text":"<b>bold</b>"}}'
  for (const { lines } of streams.slice(0, 2)) assert.deepEqual(lines.slice(-3), [`id: ${bold}`, data, ''])
  assert.equal(await page.locator('#wire b').count(), 0)
  // Both windows, the form and the button can be used while the drawer is open.
  const covered = await page.evaluate(() => {
    const all = [...document.querySelectorAll('main button, main ol, form input, form button, #wire-toggle')]
    return all.filter((element) => {
      const { left, top, width, height } = element.getBoundingClientRect()
      return document.elementFromPoint(left + width / 2, top + height / 2)?.closest('button, ol, input') !== element
    }).length
  })
  assert.equal(covered, 0)
  await fits(page, page.locator('main header').first())
  await page.reload()
  await connected(page)
  assert.equal(await toggle.getAttribute('aria-expanded'), 'true')
}

/** The countdown of a window that is away, for each reason, and one that does not return. */
async function countdown() {
  const page = await open(url, 'countdown', 360)
  await send(page, 'one')
  await shows(page, 0, ['one'])
  const [, one] = await sent(page)
  await stayAway(page)
  await page.route('**/topics/countdown', (route) => route.fulfill({ status: 503, body: 'busy' }))
  await button(page, 0).click()
  const header = page.locator('main header').first()
  const away = async (words) => {
    const state = header.locator('.state')
    await page.waitForFunction(([state, words]) => state.textContent === words, [await state.elementHandle(), words])
    await fits(page, header)
    // It is on one line, and not cut off.
    assert.equal((await state.boundingBox()).height < 24, true)
  }
  await away('cut – back in 6 s')
  await button(page, 0).click()
  await away('refused (503) – back in 6 s')
  const resumed = `resumed after ID ${one}; nothing came in between`
  // Only a time of digits is one.
  const body = 'retry: 7000\n\nretry: x\n\nretry: -1\n\nretry\n\n'
  const stream = { status: 200, contentType: 'text/event-stream', body }
  await page.route('**/topics/countdown', (route) => route.fulfill(stream))
  await button(page, 0).click()
  await away('lost – back in 7 s')
  await page.unroute('**/topics/countdown')
  await button(page, 0).click()
  const rows = ['one', 'cut', resumed, 'lost', resumed]
  await shows(page, 0, rows)
  await button(page, 0).click()
  await page.route('**/topics/countdown', (route) => route.fulfill({ status: 204 }))
  await button(page, 0).click()
  await away('ended ')
  await shows(page, 0, [...rows, 'cut', 'the topic has ended'])
  assert.equal(await button(page, 0).isDisabled(), true)
}

async function gap() {
  const page = await open(small, 'gap', 360, 'dark')
  await send(page, 'one')
  await shows(page, 1, ['one'])
  const [, one] = await sent(page)
  await stayAway(page)
  await button(page, 1).click()
  await page.click('text="Send 20 events"')
  // On a busy machine, the connected window can have a gap too: only 3 events wait for it.
  await page.locator('section').first().getByText('20 of 20').waitFor()
  await button(page, 1).click()
  const last = ['18 of 20', '19 of 20', '20 of 20', 'caught up with 3 events']
  await shows(page, 1, ['one', 'cut', `resumed after ID ${one}`, '17 events are missing', ...last])
  assert.equal(await page.locator('section').nth(1).locator('.gap').isVisible(), true)
  await fits(page, page.locator('main header').nth(1))
}

try {
  await Promise.all([replay(), gap(), drawer(), countdown()])
} finally {
  await browser.close()
}
process.exit()
