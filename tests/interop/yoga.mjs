// A GraphQL server that responds in parts: graphql-yoga with its plugin for `@defer` and `@stream`. Started by a test
// of tests/http/tests/multipart. Writes its URL, and exits when its standard input ends. Each deferred value is sent
// after a request for `/next`.

import { createServer } from 'node:http'
import { useDeferStream } from '@graphql-yoga/plugin-defer-stream'
import { createSchema, createYoga } from 'graphql-yoga'

let allowed = 0
const waiting = []
const goOn = () => {
  const next = waiting.shift()
  if (next) next()
  else allowed += 1
}
const allowance = () => {
  if (allowed === 0) return new Promise((resolve) => waiting.push(resolve))
  allowed -= 1
}

const yoga = createYoga({
  logging: false,
  plugins: [useDeferStream()],
  schema: createSchema({
    typeDefs: 'type Query { title: String! words: [String!]! story: Story! } type Story { text: String! }',
    resolvers: {
      Query: {
        title: () => 'a title',
        story: () => ({}),
        async *words() {
          yield 'one\r\n---'
          for (const word of ['\n-----\n', 'three']) {
            await allowance()
            yield word
          }
        },
      },
      Story: {
        async text() {
          await allowance()
          return '---\r\n-----\r\nonce upon a time'
        },
      },
    },
  }),
})

const server = createServer((request, response) => {
  if (request.url !== '/next') return yoga(request, response)
  goOn()
  response.end()
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
process.stdin.on('end', () => process.exit()).resume()
