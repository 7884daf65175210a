// An event stream over HTTP for the tests of `fetch`: says its URL, then answers by the last event ID until its standard input ends.

import { createServer } from 'node:http'

const ANSWERS = { '': 'retry: 1\nid: 1\ndata: d\u00e9j\u00e0\n\n', 1: 'id: 2\nevent: t\ndata: b\n\n' }

const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => (body += chunk))
  request.on('end', () => {
    const answer = ANSWERS[request.headers['last-event-id'] ?? '']
    if (request.headers.accept !== 'text/event-stream') response.writeHead(406).end()
    else if (request.method === 'POST') response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${body}\n\n`)
    else if (request.url === '/refused') response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"who?"}')
    else if (request.url === '/accent')
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 1\nid: \u00e9\ndata: a\n\n')
    else if (answer === undefined) response.writeHead(204).end()
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const bytes = Buffer.from(answer)
      // Within its first character of more than one byte, if it has one.
      const cut = bytes.indexOf(0xc3) + 1 || 3
      response.write(bytes.subarray(0, cut))
      setTimeout(() => response.end(bytes.subarray(cut)), 20)
    }
  })
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
process.stdin.on('end', () => process.exit()).resume()
