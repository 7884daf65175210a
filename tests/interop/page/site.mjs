// A server with the files of the page and the check's own responses, for cases that the page's server never sends.

import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript', wasm: 'application/wasm' }
const FILES = /^(index\.html|(style|wire)\.css|[a-z-]+\.js|pkg\/page\.js|pkg\/page_bg\.wasm)$/
const BOUNDARY = 'of-this-check'

export class Site {
  #server = createServer((request, response) => this.#respond(request, response))

  /** Serves this folder. `answers` contains a function for each path: `(request, response)`. */
  static async start(folder, answers) {
    const site = Object.assign(new Site(), { folder, answers: { '/live': quiet, ...answers } })
    site.#server.listen(0, '127.0.0.1')
    await once(site.#server, 'listening')
    return site
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}/`
  }

  close() {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #respond(request, response) {
    const { pathname } = new URL(request.url, this.url)
    const file = pathname.slice(1) || 'index.html'
    if (this.answers[pathname]) return this.answers[pathname](request, response)
    if (!FILES.test(file)) return response.writeHead(404).end()
    response.setHeader('Content-Type', TYPES[file.split('.').pop()])
    createReadStream(join(this.folder, file))
      .on('error', () => response.writeHead(404).end())
      .pipe(response)
  }
}

/** A feed without events. */
function quiet(_, response) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders()
}

/** Begins a multipart response. */
export function begin(response) {
  response.writeHead(200, { 'Content-Type': `multipart/x-mixed-replace; boundary=${BOUNDARY}` })
  response.write(`--${BOUNDARY}\r\n`)
}

/** Sends a part and the delimiter after it, which completes the part. Waits until there is room for the next one. */
export async function part(response, type, body, headers = {}) {
  const lines = Object.entries({ 'Content-Type': type, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const bytes = [Buffer.from(`${lines.join('')}\r\n`), Buffer.from(body), Buffer.from(`\r\n--${BOUNDARY}\r\n`)]
  if (!response.write(Buffer.concat(bytes)))
    await Promise.race([once(response, 'drain'), setTimeout(20_000, null, { ref: false })])
}

/**
 * Ends the response. The line end after the last delimiter also belongs to the close delimiter, as in the responses
 * of the server.
 */
export function close(response) {
  response.end(`--${BOUNDARY}--\r\n`)
}

/** Returns a sound with this many 16-bit samples. */
export function wav(samples, rate) {
  const bytes = Buffer.alloc(44 + 2 * samples)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(36 + 2 * samples, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(rate, 24)
  bytes.writeUInt32LE(2 * rate, 28)
  bytes.writeUInt16LE(2, 32)
  bytes.writeUInt16LE(16, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(2 * samples, 40)
  for (let at = 0; at < samples; at++) bytes.writeInt16LE((at % 100) * 50 - 2500, 44 + 2 * at)
  return bytes
}
