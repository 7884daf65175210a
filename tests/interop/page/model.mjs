// A model with the API of OpenAI's chat completions. A check controls each of its steps: when it sends a word, and
// whether the answer ends, breaks off or never starts. It counts the requests, because a real model would bill each
// of them.

import { once } from 'node:events'
import { createServer } from 'node:http'
import { setImmediate, setTimeout } from 'node:timers/promises'

import { Different, same, tokens } from '../check.mjs'

const event = (delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`

export class Model {
  #server = createServer((request, response) => this.#receive(request, response))
  #arrived = []
  #taken = 0

  static async start() {
    const model = new Model()
    model.#server.listen(0, '127.0.0.1')
    await once(model.#server, 'listening')
    return model
  }

  /** The base URL, up to `/chat/completions`. */
  get url() {
    return `http://127.0.0.1:${this.#server.address().port}/v1`
  }

  /** The number of requests so far. */
  get count() {
    return this.#arrived.length
  }

  /** Waits for the next request and returns it. */
  async asked() {
    for (const end = Date.now() + 20_000; this.#taken === this.count; await setTimeout(5))
      if (Date.now() > end) throw new Different(`the model got ${this.count} requests, and no other one within 20 s`)
    return this.#arrived[this.#taken++]
  }

  /** Fails if there were more requests than the check has answered. */
  sameCount() {
    same('requests that reached the model', this.count, this.#taken)
  }

  close() {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #receive(request, response) {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const asked = `${request.method} ${request.url}`
    this.#arrived.push(new Exchange(asked, JSON.parse(Buffer.concat(chunks)), response))
  }
}

/** A request and its answer, which is sent step by step. */
class Exchange {
  #response
  #closed

  constructor(line, body, response) {
    Object.assign(this, { line, body })
    this.#response = response
    this.#closed = once(response, 'close')
    response.socket.setNoDelay(true)
  }

  /** Sends these bytes, in pieces of this size. */
  async send(bytes, size = Infinity) {
    if (!this.#response.headersSent)
      this.#response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders()
    const all = Buffer.from(bytes)
    for (let at = 0; at < all.length; at += size) {
      this.#response.write(all.subarray(at, at + size))
      await setImmediate()
    }
  }

  /** Sends a text, one event for each word. */
  say(text, { size } = {}) {
    return this.send(
      tokens(text)
        .map((content) => event({ content }))
        .join(''),
      size,
    )
  }

  /** Sends tool calls, each in several events: `[name, arguments]`. */
  async call(...calls) {
    for (const [index, [name, text]] of calls.entries()) {
      const half = text.length >> 1
      await this.send(
        event({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }] }),
      )
      for (const part of [text.slice(0, half), text.slice(half)])
        await this.send(event({ tool_calls: [{ index, function: { arguments: part } }] }))
    }
  }

  /** Completes the answer. The connection stays open; the page has to close it. */
  done() {
    return this.send('data: [DONE]\n\n')
  }

  /** Ends the response properly. */
  end() {
    this.#response.end()
  }

  /** Aborts the connection. */
  cut() {
    this.#response.destroy()
  }

  /** Answers with an error in OpenAI's format. */
  refuse(status, message, headers = {}) {
    this.#response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
    this.#response.end(JSON.stringify({ error: { message, type: 'server_error', param: null, code: null } }))
  }

  /** Waits until the client has closed the connection. */
  async left() {
    const late = setTimeout(20_000, 'late', { ref: false })
    if ((await Promise.race([this.#closed, late])) === 'late')
      throw new Different('the connection to the model is still open after 20 s')
  }
}
