// Checks that the browser aborts the request of an answer that the page no longer reads.

import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'

import { Different, same } from '../check.mjs'
import { visitSite } from './visit.mjs'

const [, , , , folder] = process.argv

/** An answer of the chat that does not end by itself, and how the browser takes it. */
class Answer {
  constructor(page) {
    page.on('requestfailed', (request) => request.url().endsWith('/chat') && (this.failure = request.failure().errorText))
  }

  async begin(response, data) {
    response.socket.setNoDelay(true)
    this.closed = once(response, 'close')
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.write(data)
  }

  /** Waits until the request is aborted. */
  async aborted(what) {
    const late = setTimeout(20_000, 'late', { ref: false })
    if ((await Promise.race([this.closed, late])) === 'late') throw new Different(`${what}: the response is still open`)
    for (const end = Date.now() + 20_000; !this.failure && Date.now() < end; ) await setTimeout(5)
    same(`${what}: the browser's error`, this.failure ?? 'none', 'net::ERR_ABORTED')
  }
}

const WORD = 'data: {"choices":[{"delta":{"content":"Yes"}}]}\n\n'

/** Runs a check with an answer that begins with this text. */
const answered = (browser, data, act) => {
  let answer
  const chat = (request, response) => request.resume().on('end', () => answer.begin(response, data))
  return visitSite(browser, folder, { '/chat': chat }, async ({ view }) => {
    answer = new Answer(view.page)
    await view.send('chat', 'Is it the end?')
    return act(view, answer)
  })
}

export const complete = (browser) =>
  answered(browser, `${WORD}data: [DONE]\n\n`, async (view, answer) => {
    await view.answer('complete', 'Yes')
    await answer.aborted('complete')
    return 'a request is aborted if its response goes on after [DONE]'
  })

/** The page drops an answer that contains an error. */
export const dropped = (browser) =>
  answered(browser, `${WORD}data: {"error":{"message":"Overloaded"}}\n\n`, async (view, answer) => {
    await view.answer('cut-off', 'Yes')
    await answer.aborted('dropped')
    return 'and if its answer is dropped before its end'
  })

export const stopped = (browser) =>
  answered(browser, WORD, async (view, answer) => {
    await view.answer('streaming', 'Yes')
    await view.click('chat-stop')
    await view.answer('stopped', 'Yes')
    await answer.aborted('stopped')
    return 'and if the user stops it'
  })
