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
  page.on('console', (message) => assert.notEqual(message.type(), 'error', message.text()))
  await page.goto(`${base}/?topic=${topic}`)
  await connected(page)
  return page
}

const connected = (page) => page.waitForFunction(() => document.querySelectorAll('section.open').length === 2)

async function send(page, text) {
  await page.fill('input', text)
  await page.click('text="Send"')
  await page.waitForFunction(() => document.querySelector('input').value === '')
}

/** Waits until a window, 0 or 1, has exactly these rows. */
async function shows(page, index, rows) {
  const read = () => page.locator('section').nth(index).locator('li').allTextContents()
  const limit = Date.now() + 30_000
  let seen = await read()
  while (seen.length < rows.length && Date.now() < limit) {
    await page.waitForTimeout(20)
    seen = await read()
  }
  assert.deepEqual(seen, rows)
}

const button = (page, index) => page.locator('section').nth(index).locator('button')

/** Windows that are cut from now on stay away until they are told to return. */
const stayAway = (page) => page.evaluate(() => (window.setInterval = () => 0))

async function replay() {
  const page = await open(url, 'replay', 1200)
  // The window that is cut has not had an event before. It returns by itself.
  await button(page, 0).click()
  await send(page, 'one')
  await send(page, '<b>two</b> & more')
  await connected(page)
  await send(page, 'three')
  await shows(page, 0, ['cut', 'one', '<b>two</b> & more', 'three'])
  await stayAway(page)
  await button(page, 0).click()
  await send(page, 'four')
  await shows(page, 1, ['one', '<b>two</b> & more', 'three', 'four'])
  await shows(page, 0, ['cut', 'one', '<b>two</b> & more', 'three', 'cut'])
  await button(page, 0).click()
  await shows(page, 0, ['cut', 'one', '<b>two</b> & more', 'three', 'cut', 'four'])
  assert.equal(await page.locator('b, .gap').count(), 0)
}

async function gap() {
  const page = await open(small, 'gap', 360, 'dark')
  await send(page, 'one')
  await shows(page, 1, ['one'])
  await stayAway(page)
  await button(page, 1).click()
  await page.click('text="Send 20 events"')
  // On a busy machine, the connected window can have a gap too: only 3 events wait for it.
  await page.locator('section').first().getByText('20 of 20').waitFor()
  await button(page, 1).click()
  await shows(page, 1, ['one', 'cut', '17 events are missing', '18 of 20', '19 of 20', '20 of 20'])
  assert.equal(await page.locator('section').nth(1).locator('.gap').isVisible(), true)
  // Nothing is wider than the screen.
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true)
}

try {
  await Promise.all([replay(), gap()])
} finally {
  await browser.close()
}
process.exit()
