// Checks the drawer "Wire": it lists what was sent and received, and changes nothing about it.

import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'

import { Different, same } from '../check.mjs'
import { begin, close, part, wav } from './site.mjs'
import { visit, visitSite } from './visit.mjs'

const [, , , , folder] = process.argv

const EVENTS = { 'Content-Type': 'text/event-stream' }

/** Runs in the page. Returns the requests in the drawer, the newest first. */
function listed() {
  const text = (element, selector) => element.querySelector(selector).textContent
  return [...document.querySelectorAll('.wire-list > details')].map((element) => ({
    request: text(element, '.wire-request'),
    id: text(element, '.wire-id'),
    head: text(element, '.wire-head'),
    state: element.dataset.state,
    lines: [...element.querySelectorAll('.wire-lines > div > div')].map((line) => line.textContent),
  }))
}

/** Waits until the drawer lists what meets this condition, and returns the list. */
async function lists(view, what, isSo) {
  for (const end = Date.now() + 20_000; ; await setTimeout(20)) {
    const list = await view.page.evaluate(listed)
    if (isSo(list)) return list
    if (Date.now() > end) throw new Different(`timed out after 20 s: ${what}; the drawer has ${JSON.stringify(list)}`)
  }
}

/** The feed may reconnect after any of them. */
const newest = (list, what) => list.find(({ request }) => request === what)

const isExpanded = (view) => view.page.locator('#wire-toggle').getAttribute('aria-expanded')

/** A feed with every kind of line, whose connection ends once, and a refusal. */
export const lines = (browser) => {
  const asked = []
  const feed = (request, response) => {
    asked.push(request.headers['last-event-id'])
    response.writeHead(200, EVENTS)
    const event = 'id: 7\r\nevent: reading\r\ndata: {"n":7,"value":1}\r\n\r\n'
    if (asked.length === 1) return response.end(`retry: 100\n\n:\n\n${event}`)
    response.write(': <b>still here</b>\ndata: half of a l')
  }
  const refusal = (request, response) =>
    request.resume().on('end', () => response.writeHead(400, { 'Content-Type': 'text/plain' }).end('No <i>thanks</i>'))
  return visitSite(browser, folder, { '/live': feed, '/chat': refusal }, async ({ view }) => {
    same('open at first', [await isExpanded(view), await view.page.locator('#wire').isVisible()], ['false', false])
    await view.page.locator('#wire-toggle').focus()
    await view.page.keyboard.press('Enter')
    same('open', [await isExpanded(view), await view.page.locator('#wire').isVisible()], ['true', true])
    const list = await lists(view, 'two requests', (list) => list.at(-2)?.lines.length > 1)
    const [second, first] = list.slice(-2)
    same('first', first, {
      request: 'GET /live',
      id: 'no Last-Event-ID',
      head: '200 text/event-stream',
      state: 'ended',
      lines: ['retry: 100', '', ':', '', 'id: 7', 'event: reading', 'data: {"n":7,"value":1}', ''],
    })
    same('second', second, {
      request: 'GET /live',
      id: 'Last-Event-ID: 7',
      head: '200 text/event-stream',
      // On a busy machine, the feed may have given it up and reconnected.
      state: list.length === 2 ? 'open' : 'aborted',
      lines: [': <b>still here</b>', 'data: half of a l'],
    })
    await view.send('chat', 'Will you?')
    const isRefusal = ({ request, state }) => request === 'POST /chat' && state === 'ended'
    const { request, head, lines } = (await lists(view, 'the refusal', (list) => list.some(isRefusal))).find(isRefusal)
    same('refused', [request, head, lines], ['POST /chat', '400 text/plain', ['No <i>thanks</i>']])
    same('elements from text', await view.page.locator('#wire b, #wire i').count(), 0)
    await view.click('live-toggle')
    const feeds = (list) => list.filter(({ request }) => request === 'GET /live').slice(0, -1)
    await lists(view, 'the feed is aborted', (list) => feeds(list).every(({ state }) => state === 'aborted'))

    await view.page.reload()
    await view.until('the page is ready', ({ isReady }) => isReady)
    same('open after a reload', await isExpanded(view), 'true')
    await view.click('wire-toggle')
    await view.page.reload()
    await view.until('the page is ready', ({ isReady }) => isReady)
    same('closed after a reload', await isExpanded(view), 'false')
    return 'each request with its ID, status and lines; remembered in the session'
  })
}

/** Sounds are counted, and long or many lines do not stay. */
export const bounded = (browser) => {
  const talk = async (_, response) => {
    begin(response)
    await part(response, 'audio/wav', wav(20_000, 8000))
    await part(response, 'text/plain', `Hello\n${'x'.repeat(1000)}`)
    for (let at = 0; at < 300; at++) await part(response, 'text/plain', `${at}`)
    close(response)
  }
  const open = (_, response) => response.writeHead(200, EVENTS).flushHeaders()
  return visitSite(browser, folder, { '/talk': talk, '/open': open }, async ({ view }) => {
    await view.page.evaluate(() => {
      const seen = (globalThis.seen = [])
      const note = (records) => seen.push(...records.map(({ target }) => target.textContent))
      new MutationObserver(note).observe(document.getElementById('wire'), { subtree: true, childList: true })
    })
    await view.send('talk', 'Say much.')
    const isComplete = ({ request, lines }) => request === 'POST /talk' && lines.at(-1)?.endsWith('--')
    const { lines } = (await lists(view, 'the end', (list) => list.some(isComplete))).find(isComplete)
    same('lines', lines.length, 200)
    same('last part', lines.slice(-5, -1), ['Content-Type: text/plain', '', '299', '--of-this-check'])
    const expected = ['(40,046 bytes)', 'Hello', `${'x'.repeat(240)} … 762 bytes more`]
    const seen = await view.page.evaluate(() => globalThis.seen.filter((text) => text.length < 300))
    for (const line of expected) same(line, seen.includes(line), true)
    await view.page.evaluate(async () => {
      await fetch('/open')
      for (let at = 0; at < 30; at++) await (await fetch('/style.css')).text()
    })
    const list = await view.page.evaluate(listed)
    same('requests', list.length, 20)
    same('the open one', list.find(({ request }) => request === 'GET /open')?.state, 'open')
    return 'sounds are counted; 200 lines of 20 requests are kept, and open requests in any case'
  })
}

/** Runs in the page before its scripts. Counts how many chunks of a body are read. */
function countChunks() {
  const { fetch } = globalThis
  globalThis.chunks = 0
  const pull = (controller) => {
    controller.enqueue(new TextEncoder().encode('data: x\n\n'))
    if (++globalThis.chunks === 100) controller.close()
  }
  globalThis.fetch = async (request, ...more) =>
    request.url?.endsWith('/counted')
      ? new Response(new ReadableStream({ pull }, { highWaterMark: 0 }))
      : fetch(request, ...more)
}

/** A body is read when the page reads it, and is closed when the page closes it. A `tee` would do neither. */
export const cancelled = (browser) => {
  let closed
  const endless = async (_, response) => {
    closed = once(response, 'close')
    response.writeHead(200, EVENTS)
    for (; !response.destroyed; await setTimeout(1)) response.write('data: and so on\n\n')
  }
  const check = async ({ view }) => {
    await view.click('wire-toggle')
    for (const way of ['abort', 'cancel']) {
      await view.page.evaluate(async (way) => {
        const request = new AbortController()
        const { body } = await fetch('/endless', { signal: request.signal })
        const reader = body.getReader()
        await reader.read()
        if (way === 'abort') request.abort()
        else await reader.cancel()
      }, way)
      const late = setTimeout(10_000, 'late', { ref: false })
      same(`${way}: closed`, (await Promise.race([closed, late])) !== 'late', true)
      await lists(view, `${way} is shown`, (list) => newest(list, 'GET /endless')?.state === 'aborted')
    }
    const chunks = await view.page.evaluate(async () => {
      const reader = (await fetch('/counted')).body.getReader()
      await reader.read()
      await reader.read()
      // A reader that reads ahead does it in between.
      await new Promise((resolve) => setTimeout(resolve, 100))
      return globalThis.chunks
    })
    same('chunks after two reads', chunks, 2)
    return 'a body is read when the page reads it, and closed when the page aborts or cancels it'
  }
  return visitSite(browser, folder, { '/endless': endless }, check, (page) => page.addInitScript(countChunks))
}

/** Nothing that one uses is covered, and nothing is wider than the screen. */
export const room = (browser) =>
  visit(browser, async ({ view, model }) => {
    const { page } = view
    for (const [width, height] of [
      [1280, 900],
      [360, 800],
    ]) {
      await page.setViewportSize({ width, height })
      for (const form of ['chat', 'talk']) {
        await view.click('wire-toggle')
        await page.evaluate((id) => document.getElementById(id).scrollIntoView({ behavior: 'instant' }), form)
        const covered = await page.evaluate((form) => {
          const ids = ['input', 'send', 'log'].map((part) => `${form}-${part}`)
          return [...ids, 'wire-toggle'].filter((id) => {
            const { left, top, width, height } = document.getElementById(id).getBoundingClientRect()
            const there = document.elementFromPoint(left + width / 2, top + height / 2)
            return !there?.closest(`#${id}`) || height < 30
          })
        }, form)
        same(`${form}, ${width} by ${height}: covered`, covered, [])
        await view.send(form, 'Is there room?')
        const exchange = await model.asked()
        await exchange.say('Yes. '.repeat(50))
        await exchange.done()
        await view.until('the end', ({ chat, talk }) => (form === 'chat' ? chat.last : talk).state === 'complete')
        await lists(view, 'the words', (list) => newest(list, `POST /${form}`)?.lines.length > 50)
        const wide = await page.evaluate(() => document.documentElement.scrollWidth)
        if (wide > width) throw new Different(`the page is ${wide} pixels wide in a window of ${width}`)
        await view.click('wire-toggle')
      }
    }
    return 'the drawer covers nothing, on a laptop and on a phone'
  })
