// An HTTP server for the tests of `fetch`. It prints its URL and runs until its standard input ends. It answers with
// event streams that depend on the last event ID. Below /model/ it is a language model, below /web/ a server for
// unusual requests, below /recipe/ the server of a page.

import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'

const ANSWERS = { '': 'retry: 1\nid: 1\ndata: d\u00e9j\u00e0\n\n', 1: 'id: 2\nevent: t\ndata: b\n\n' }

const EVENTS = [
  { type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } },
  ...['One, ', 'two, ', 'd\u00e9j\u00e0 ', 'vu.'].map((delta) => ({ type: 'response.output_text.delta', delta })),
  { type: 'response.completed', response: { id: 'resp_1', status: 'completed' } },
].map((event, number) => `retry: 1\nevent: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: number })}\n\n`)

const billed = {}

// OpenAI's Responses API. The path selects the way in which the answer to a POST is wrong.
function answerAsModel(request, response, body) {
  const [, way, path, query] = request.url.match(/^\/model\/(\w+)\/([^?]*)\??(.*)$/)
  const stream = (events) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(events.join(''))
    return response
  }
  const half = (event) => event.slice(0, event.length / 2)
  if (path === 'billed') response.end(String(billed[way] ?? 0))
  else if (request.method === 'GET' && path === 'responses/resp_1' && query.startsWith('stream=true&starting_after='))
    stream(EVENTS.slice(Number(query.split('=').at(-1)) + 1)).end()
  else if (request.method !== 'POST' || path !== 'responses' || !JSON.parse(body).stream) response.writeHead(404).end()
  else {
    billed[way] = (billed[way] ?? 0) + 1
    stream(way === 'begun' ? [half(EVENTS[0])] : [...EVENTS.slice(0, 3), half(EVENTS[3])])
    // The delay lets the client read everything first.
    setTimeout(() => response.destroy(), 20)
  }
}

const visits = {}
const ends = {}
let closed = 0

// Below /web/: the responses for the tests of eventwire-web.
function answerWeb(request, response, body) {
  const path = request.url.slice('/web/'.length)
  const { pathname, search } = new URL(request.url, 'http://host')
  const number = (visits[path] = (visits[path] ?? 0) + 1)
  const stream = (text) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
  // Node decodes headers as Latin-1.
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Buffer.from(String(value), 'latin1').toString()]),
  )
  if (pathname === '/web/echo') {
    const { method, url } = request
    response.writeHead(200, { 'content-type': 'application/json', 'x-accent': Buffer.from('d\u00e9j\u00e0').toString('latin1') })
    response.end(JSON.stringify({ method, url, headers, body }))
  } else if (pathname === '/web/id') stream(`retry: 1\nid: \u00e9\u6587\ndata: ${headers['last-event-id'] ?? 'none'}\n\n`)
  else if (pathname === '/web/busy') {
    if (number <= Number(search.slice(1))) response.writeHead(429, { 'retry-after': '0' }).end('busy')
    else stream(`data: ${number}\n\n`)
  } else if (pathname === '/web/unavailable') response.writeHead(503, { 'retry-after': '0' }).end()
  else if (pathname === '/web/redirect') response.writeHead(307, { location: `/web/busy${search}` }).end()
  else if (pathname === '/web/posted') {
    // The answer to a POST is at its own URL.
    if (request.method === 'POST') response.writeHead(303, { location: request.url }).end()
    else response.writeHead(Number(search.slice(1, 4)), { 'retry-after': '0' }).end()
  } else if (pathname === '/web/there') {
    if (number === 1) response.writeHead(307, { location: `/web/back${search}` }).end()
    else response.writeHead(429, { 'retry-after': '0' }).end()
  } else if (pathname === '/web/back') response.writeHead(307, { location: `/web/there${search}` }).end()
  else if (pathname === '/web/done') {
    response.on('close', () => (ends[search] = response.writableFinished ? 'complete' : 'aborted'))
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\ndata: [DONE]\n\n')
    // Only the client closes the others.
    if (!search.startsWith('?open')) setTimeout(() => response.end(), 20)
  } else if (pathname === '/web/retry') response.writeHead(503, { 'retry-after': '60' }).end()
  else if (pathname === '/web/ends') response.end(ends[search] ?? 'open')
  else if (pathname === '/web/cut') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: a\n\ndata: b')
    setTimeout(() => response.destroy(), 20)
  } else if (pathname === '/web/parts') {
    response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=b', 'x-accept': headers.accept })
    response.end('--b\r\n\r\nhello\r\n--b--\r\n')
  } else if (pathname === '/web/open') {
    response.on('close', () => (closed += 1))
    if (search === '?headers') response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 1\ndata: a\n\n')
  } else if (pathname === '/web/closed') response.end(String(closed))
  else if (pathname === '/web/visits') response.end(String(visits[search.slice(1)] ?? 0))
  else if (pathname === '/web/gzip') {
    const packed = gzipSync('unpacked')
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': packed.length }).end(packed)
  } else if (pathname === '/web/length') response.writeHead(200, { 'content-length': 3 }).end('abc')
  else if (pathname === '/web/null') response.writeHead(204).end()
  else if (pathname === '/web/large') {
    for (let i = 0; i < 100; i += 1) response.write(Buffer.alloc(50_000, i))
    response.end()
  } else response.writeHead(404).end()
}

let stopped = 0

// Below /recipe/: repeats the prompt, as the recipe for pages expects it. Some prompts have another answer.
function answerRecipe(request, response, body) {
  const { prompt } = JSON.parse(body || '{}')
  const token = (text) => `data: ${JSON.stringify({ text })}\n\n`
  if (request.url === '/recipe/closed') response.end(String(stopped))
  else if (request.headers['content-type'] !== 'application/json') response.writeHead(415).end('not JSON')
  else if (!prompt) response.writeHead(400).end('ask something')
  else {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(token('You said: '))
    if (prompt === 'half') response.end()
    else if (prompt === 'wait') response.on('close', () => (stopped += 1))
    else response.end(`${token(prompt)}data: [DONE]\n\n`)
  }
}

const server = createServer((request, response) => {
  // A page of another origin may connect: the worker's.
  response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', '*')
  if (request.method === 'OPTIONS') return void response.writeHead(204).end()
  let body = ''
  request.on('data', (chunk) => (body += chunk))
  request.on('end', () => {
    const answer = ANSWERS[request.headers['last-event-id'] ?? '']
    if (request.url.startsWith('/model/')) answerAsModel(request, response, body)
    else if (request.url.startsWith('/web/')) answerWeb(request, response, body)
    else if (request.url.startsWith('/recipe/')) answerRecipe(request, response, body)
    else if (request.headers.accept !== 'text/event-stream') response.writeHead(406).end()
    else if (request.method === 'POST') response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${body}\n\n`)
    else if (request.url === '/refused') response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"who?"}')
    else if (request.url === '/accent')
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 1\nid: \u00e9\ndata: a\n\n')
    else if (answer === undefined) response.writeHead(204).end()
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const bytes = Buffer.from(answer)
      // The body is split inside its first character of more than one byte, if it has one.
      const cut = bytes.indexOf(0xc3) + 1 || 3
      response.write(bytes.subarray(0, cut))
      setTimeout(() => response.end(bytes.subarray(cut)), 20)
    }
  })
})
// A test may block the process for longer than a connection is kept by default, and a POST is not sent again.
server.keepAliveTimeout = 300_000
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
process.stdin.on('end', () => process.exit()).resume()
