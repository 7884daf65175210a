// Checks how an answer of the chat ends: a complete one is not cancelled, any other one is.

import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'

import { Different, same } from '../check.mjs'
import { visitSite } from './visit.mjs'

const [, , , , folder] = process.argv

/** Runs in the page. Timers of one second run only when `globalThis.fire` is called; `globalThis.held` counts them. */
function holdSecond() {
  const before = globalThis.setTimeout
  const held = []
  globalThis.held = () => held.length
  globalThis.fire = () => held.splice(0).forEach((run) => run())
  globalThis.setTimeout = (run, delay) => (delay === 1000 ? held.push(run) : before(run, delay))
}

/** An answer of the chat that the check ends, and how the browser takes it. */
class Answer {
  constructor(page) {
    page.on('requestfailed', (request) => request.url().endsWith('/chat') && (this.failure = request.failure().errorText))
    page.on('requestfinished', (request) => request.url().endsWith('/chat') && (this.isFinished = true))
  }

  async begin(response, data) {
    response.socket.setNoDelay(true)
    this.response = response
    this.closed = once(response, 'close')
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.write(data)
  }

  /** Waits until the response has ended or was aborted, and compares what the browser reports. */
  async ends(what, failure) {
    const late = setTimeout(20_000, 'late', { ref: false })
    if ((await Promise.race([this.closed, late])) === 'late') throw new Different(`${what}: the response is still open`)
    for (const end = Date.now() + 20_000; !this.failure && !this.isFinished && Date.now() < end; ) await setTimeout(5)
    same(`${what}: the browser's error`, this.failure ?? 'none', failure ?? 'none')
    same(`${what}: sent completely`, this.response.writableFinished, !failure)
  }

  get isOpen() {
    return !this.response.destroyed
  }
}

const WORD = 'data: {"choices":[{"delta":{"content":"Yes"}}]}\n\n'
const DONE = `${WORD}data: [DONE]\n\n`
const ABORTED = 'net::ERR_ABORTED'

/** Runs a check with an answer that begins with this text. */
const answered = (browser, data, act) => {
  let answer
  const chat = (request, response) => request.resume().on('end', () => answer.begin(response, data))
  return visitSite(browser, folder, { '/chat': chat }, async ({ view }) => {
    answer = new Answer(view.page)
    await view.page.evaluate(holdSecond)
    await view.send('chat', 'Is it the end?')
    return act(view, answer)
  })
}

export const endedLater = (browser) =>
  answered(browser, DONE, async (view, answer) => {
    await view.answer('complete', 'Yes')
    await setTimeout(20)
    answer.response.end()
    await answer.ends('ended later')
    return 'a server that ends the response after [DONE] sees no abort'
  })

export const endedWithMore = (browser) =>
  answered(browser, DONE, async (view, answer) => {
    await view.answer('complete', 'Yes')
    answer.response.write(`: ${'-'.repeat(60 << 10)}\n\n`)
    await setTimeout(100)
    answer.response.end()
    await answer.ends('60 KiB more')
    return 'nor does one that sends 60 KiB more'
  })

export const endless = (browser) =>
  answered(browser, DONE, async (view, answer) => {
    await view.answer('complete', 'Yes')
    answer.response.write(`: ${'-'.repeat(70 << 10)}\n\n`)
    await answer.ends('70 KiB more', ABORTED)
    return 'a request whose response goes on for 70 KiB after [DONE] is aborted'
  })

export const neverEnded = (browser) =>
  answered(browser, DONE, async (view, answer) => {
    await view.answer('complete', 'Yes')
    await setTimeout(100)
    same('timers of a second', await view.page.evaluate(() => globalThis.held()), 1)
    same('open', answer.isOpen, true)
    await view.page.evaluate(() => globalThis.fire())
    await answer.ends('a second later', ABORTED)
    return 'and so is one whose response does not end for a second'
  })

/** The page drops an answer that contains an error. */
export const dropped = (browser) =>
  answered(browser, `${WORD}data: {"error":{"message":"Overloaded"}}\n\n`, async (view, answer) => {
    await view.answer('cut-off', 'Yes')
    await answer.ends('dropped', ABORTED)
    same('timers of a second', await view.page.evaluate(() => globalThis.held()), 0)
    return 'an answer that is dropped before its end is aborted at once'
  })

export const stopped = (browser) =>
  answered(browser, WORD, async (view, answer) => {
    await view.answer('streaming', 'Yes')
    await view.click('chat-stop')
    await view.answer('stopped', 'Yes')
    await answer.ends('stopped', ABORTED)
    same('timers of a second', await view.page.evaluate(() => globalThis.held()), 0)
    return 'and so is one that the user stops'
  })
