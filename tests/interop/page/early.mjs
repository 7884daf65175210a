// Checks that the live feed does not wait for the end of a delay when the browser has news, or the user is impatient.

import { setTimeout } from 'node:timers/promises'

import { same } from '../check.mjs'
import { visitSite } from './visit.mjs'

const [, , , , folder] = process.argv

/** Runs in the page. No timer that begins now ends. */
function stopTimers() {
  globalThis.setTimeout = () => 0
}

/** Runs in the page. Sends this event, in a page that is visible or hidden. */
function send([target, name, state]) {
  Object.defineProperty(document, 'hidden', { value: state === 'hidden', configurable: true })
  globalThis[target].dispatchEvent(new Event(name, { bubbles: true }))
}

/** Returns how many listeners the window has for these events. */
async function listeners(page) {
  const session = await page.context().newCDPSession(page)
  const { result } = await session.send('Runtime.evaluate', { expression: 'window' })
  const { listeners } = await session.send('DOMDebugger.getEventListeners', { objectId: result.objectId })
  await session.detach()
  return listeners.filter(({ type }) => ['online', 'visibilitychange'].includes(type)).length
}

/** Runs a check with a feed that answers so; the last answer is repeated. `requests` waits for this many requests. */
const fed = (browser, answers, act) => {
  let count = 0
  const feed = (request, response) => answers[Math.min(count++, answers.length - 1)](response)
  const check = async ({ view }) => {
    const requests = async (expected, state) => {
      await view.until(`request ${expected}`, ({ live }) => count === expected && live.state === state)
      // Longer than a request takes that must not be sent.
      await setTimeout(200)
      same('requests', count, expected)
    }
    return act(view, requests)
  }
  return visitSite(browser, folder, { '/live': feed }, check, (page) => page.addInitScript(stopTimers))
}

const EVENTS = { 'Content-Type': 'text/event-stream' }

export const news = (browser) => {
  const answers = [
    (response) => response.writeHead(200, EVENTS).end(),
    (response) => response.writeHead(500).end(),
    (response) => response.writeHead(200, EVENTS).flushHeaders(),
  ]
  return fed(browser, answers, async (view, requests) => {
    await requests(1, 'waiting')
    await view.page.evaluate(send, ['document', 'visibilitychange', 'hidden'])
    await requests(1, 'waiting')
    await view.page.evaluate(send, ['document', 'visibilitychange', 'visible'])
    await requests(2, 'waiting')
    await view.page.evaluate(send, ['globalThis', 'online', 'hidden'])
    await requests(3, 'open')
    await view.page.evaluate(send, ['globalThis', 'online', 'visible'])
    await requests(3, 'open')
    same('listeners', await listeners(view.page), 2)
    await view.click('live-toggle')
    await view.until('it stops', ({ live }) => live.state === 'stopped')
    // The source waits once more, before it sees that its signal was aborted.
    await view.page.evaluate(send, ['globalThis', 'online', 'visible'])
    for (const end = Date.now() + 10_000; Date.now() < end && (await listeners(view.page)); ) await setTimeout(20)
    same('listeners', await listeners(view.page), 0)
    return 'a feed does not wait if the network is back or the page becomes visible'
  })
}

export const askedToWait = (browser) =>
  fed(browser, [(response) => response.writeHead(503, { 'Retry-After': '3' }).end()], async (view, requests) => {
    await requests(1, 'waiting')
    await view.page.evaluate(send, ['globalThis', 'online', 'visible'])
    await requests(1, 'waiting')
    return 'but it does if the server has asked for that'
  })

/** The button also ends a delay that the server has asked for, which is counted down. */
export const tryNow = (browser) => {
  const answers = [
    (response) => response.writeHead(503, { 'Retry-After': '30' }).end(),
    (response) => response.writeHead(200, EVENTS).flushHeaders(),
  ]
  return fed(browser, answers, async (view, requests) => {
    await requests(1, 'waiting')
    const seconds = ({ live }) => Number(/Trying again in (\d+)\s+s\./.exec(live.status)?.[1])
    const first = seconds(await view.until('a countdown', (seen) => seconds(seen) > 20))
    await view.until('it counts down', (seen) => seconds(seen) < first)
    await view.click('live-try')
    await requests(2, 'open')
    const { live } = await view.look()
    same('status, button', [live.status, live.hasTryNow], ['Connected.', false])
    return 'a delay is counted down, and the button ends it'
  })
}
