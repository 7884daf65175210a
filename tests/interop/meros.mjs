// Reads a multipart response with `meros`. Started by a test of tests/http/tests/multipart with the server's URL.
// Tells the server to continue after each part. Writes a JSON array with the JSON of each part, or with the headers
// and the text of a part that is not JSON.

import { get } from 'node:http'
import { meros } from 'meros'

const server = process.argv[2]
const limit = setTimeout(() => {
  console.error(`after 20 s: ${JSON.stringify(seen)}`)
  process.exit(1)
}, 20_000)

const seen = []
const response = await new Promise((resolve) => get(`${server}/stream`, resolve))
for await (const { json, body, headers } of await meros(response)) {
  seen.push(json ? body : { headers, body: String(body) })
  await fetch(`${server}/next`, { method: 'POST' })
}
console.log(JSON.stringify(seen))
clearTimeout(limit)
