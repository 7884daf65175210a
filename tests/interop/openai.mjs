// Reads the gateway's streams with the official `openai` package from npm. Started by `run`, in the folder that
// contains the package.

import OpenAI from 'openai'

import { GATEWAY, GATEWAY_KEY, GATEWAY_KEYED, GATEWAY_SLOW, TEXTS } from './check.mjs'
import { Different, countWords, run, same, tokens } from './check.mjs'

const connect = (address, apiKey = GATEWAY_KEY) =>
  new OpenAI({ baseURL: `${address}/v1`, apiKey, maxRetries: 0, timeout: 20_000 })

const client = connect(GATEWAY)

const chat = (text, options, { by = client } = {}) =>
  by.chat.completions.create({ model: 'echo', messages: [{ role: 'user', content: text }], ...options })

const completion = (prompt, options, { by = client } = {}) =>
  by.completions.create({ model: 'echo', prompt, ...options })

const withUsage = { stream: true, stream_options: { include_usage: true } }

async function all(promise) {
  const chunks = []
  for await (const chunk of await promise) chunks.push(chunk)
  return chunks
}

// --- Expected answers

function usage(prompts, sent) {
  const prompt = prompts.map(countWords).reduce((sum, count) => sum + count, 0)
  return { prompt_tokens: prompt, completion_tokens: sent, total_tokens: prompt + sent }
}

function counted(what, answer, expected) {
  const { prompt_tokens, completion_tokens, total_tokens } = answer.usage ?? {}
  same(`${what}: usage`, { prompt_tokens, completion_tokens, total_tokens }, expected)
}

/** Asserts that all chunks belong to one answer. */
function oneAnswer(what, chunks, object) {
  const { id, created } = chunks[0]
  if (!(typeof id === 'string' && id && Number.isInteger(created) && created > 0))
    throw new Different(`${what}: id ${id}, created ${created}`)
  const heads = chunks.map(({ id, object, created, model }) => ({ id, object, created, model }))
  same(`${what}: chunks`, heads, Array(chunks.length).fill({ id, object, created, model: 'echo' }))
  const usages = chunks.map(({ usage }) => usage ?? null)
  same(`${what}: usage before the last chunk`, usages, Array(chunks.length).fill(null))
}

/** Removes the last chunk and asserts that it has the usage. */
function lastIsUsage(what, chunks, expected) {
  const last = chunks.pop()
  same(`${what}: choices of the last chunk`, last.choices, [])
  counted(what, last, expected)
}

function chatChunks(what, chunks, sent, reason = 'stop') {
  oneAnswer(what, chunks, 'chat.completion.chunk')
  const got = chunks.map(({ choices }) =>
    choices.map(({ index, delta, finish_reason }) => ({ index, delta: { ...delta }, finish_reason })),
  )
  const chunk = (delta, finish_reason = null) => [{ index: 0, delta, finish_reason }]
  const words = sent.map((content) => chunk({ content }))
  same(`${what}: chunk`, got, [chunk({ role: 'assistant', content: '' }), ...words, chunk({}, reason)])
}

function chatWhole(what, { object, model, choices }, text, reason = 'stop') {
  same(`${what}: object, model`, [object, model], ['chat.completion', 'echo'])
  const got = choices.map(({ index, message, finish_reason }) => [index, message.role, message.content, finish_reason])
  same(`${what}: choice`, got, [[0, 'assistant', text, reason]])
}

/** `sent` contains the tokens of each prompt. */
function completionChunks(what, chunks, sent, reason = 'stop') {
  oneAnswer(what, chunks, 'text_completion')
  same(`${what}: choices of each chunk`, chunks.map(({ choices }) => choices.length), Array(chunks.length).fill(1))
  const choices = chunks.map(({ choices: [choice] }) => choice)
  const indices = [...new Set(choices.map(({ index }) => index))].sort((a, b) => a - b)
  same(`${what}: indices`, indices, [...sent.keys()])
  sent.forEach((tokens, i) => {
    const got = choices.filter(({ index }) => index === i).map(({ text, finish_reason }) => [text, finish_reason])
    same(`${what}: choice ${i}, chunk`, got, [...tokens.map((token) => [token, null]), ['', reason]])
  })
}

function completionWhole(what, { object, model, choices }, texts, reason = 'stop') {
  same(`${what}: object, model`, [object, model], ['text_completion', 'echo'])
  const got = choices.map(({ index, text, finish_reason }) => [index, text, finish_reason])
  same(`${what}: choice`, got, texts.map((text, index) => [index, text, reason]))
}

// --- The checks

async function models() {
  const { data } = await client.models.list()
  same('models', data.map(({ id, object }) => [id, object]), [['echo', 'model']])
  return 'models'
}

async function chatOfEveryText() {
  for (const { name, text } of TEXTS) {
    const sent = tokens(text)
    const expected = usage([text], sent.length)
    const whole = await chat(text)
    chatWhole(name, whole, text)
    counted(name, whole, expected)
    const chunks = await all(chat(text, withUsage))
    lastIsUsage(name, chunks, expected)
    chatChunks(name, chunks, sent)
    chatChunks(name, await all(chat(text, { stream: true })), sent)
  }
  return `chat, streamed and not: ${TEXTS.length} texts`
}

async function completionOfEveryText() {
  for (const { name, text } of TEXTS) {
    const sent = tokens(text)
    const expected = usage([text], sent.length)
    const whole = await completion(text)
    completionWhole(name, whole, [text])
    counted(name, whole, expected)
    const chunks = await all(completion(text, withUsage))
    lastIsUsage(name, chunks, expected)
    completionChunks(name, chunks, [sent])
    completionChunks(name, await all(completion(text, { stream: true })), [sent])
  }
  return `completions, streamed and not: ${TEXTS.length} texts`
}

async function severalPrompts() {
  const prompts = ['one two  three\n', '', ' ', '[DONE]', '日本 語']
  const sent = prompts.map(tokens)
  const expected = usage(prompts, sent.flat().length)
  const whole = await completion(prompts)
  completionWhole('prompts', whole, prompts)
  counted('prompts', whole, expected)
  const chunks = await all(completion(prompts, withUsage))
  lastIsUsage('prompts', chunks, expected)
  completionChunks('prompts', chunks, sent)
  return `completions: ${prompts.length} prompts in one request`
}

async function severalMessages() {
  const messages = [
    { role: 'system', content: 'Say it again.' },
    { role: 'user', content: 'first  question' },
    { role: 'assistant', content: 'first answer' },
    { role: 'user', content: [{ type: 'text', text: ' second\n ' }, { type: 'text', text: 'question ' }] },
    { role: 'assistant', content: '…' },
  ]
  const text = ' second\n question '
  const expected = usage(['Say it again.', 'first  question', 'first answer', text, '…'], 2)
  const whole = await chat('', { messages })
  chatWhole('messages', whole, text)
  counted('messages', whole, expected)
  const chunks = await all(chat('', { messages, ...withUsage }))
  lastIsUsage('messages', chunks, expected)
  chatChunks('messages', chunks, tokens(text))
  return "chat: the last user message of several"
}

async function maxTokens() {
  const text = ' one two  three\nfour '
  for (const [max_tokens, reason] of [[1, 'length'], [3, 'length'], [4, 'stop'], [5, 'stop']]) {
    const what = `max_tokens ${max_tokens}`
    const sent = tokens(text).slice(0, max_tokens)
    const expected = usage([text], sent.length)
    let whole = await chat(text, { max_tokens })
    chatWhole(what, whole, sent.join(''), reason)
    counted(what, whole, expected)
    same(what, (await chat(text, { max_completion_tokens: max_tokens })).choices, whole.choices)
    let chunks = await all(chat(text, { max_tokens, ...withUsage }))
    lastIsUsage(what, chunks, expected)
    chatChunks(what, chunks, sent, reason)
    whole = await completion(text, { max_tokens })
    completionWhole(what, whole, [sent.join('')], reason)
    counted(what, whole, expected)
    chunks = await all(completion(text, { max_tokens, ...withUsage }))
    lastIsUsage(what, chunks, expected)
    completionChunks(what, chunks, [sent], reason)
  }
  return 'max_tokens, max_completion_tokens: a longer answer is truncated, a shorter one is not'
}

/** Checks that `[DONE]` ends a stream; the package does not report it. */
async function endOfStream() {
  for (const ask of [chat, completion]) {
    const response = await ask('a b', { stream: true }).asResponse()
    same(`${ask.name}: content type`, response.headers.get('content-type').split(';')[0], 'text/event-stream')
    const lines = (await response.text()).split(/\r\n|\r|\n/).filter((line) => line)
    same(`${ask.name}: last line`, lines.at(-1), 'data: [DONE]')
    same(`${ask.name}: [DONE]s`, lines.filter((line) => line === 'data: [DONE]').length, 1)
  }
  return 'streams end in [DONE]'
}

async function streamHelper() {
  const { text } = TEXTS.find(({ name }) => name === 'an event within')
  const deltas = []
  const stream = client.chat.completions
    .stream({ model: 'echo', messages: [{ role: 'user', content: text }], stream_options: { include_usage: true } })
    .on('content', (delta) => deltas.push(delta))
  const final = await stream.finalChatCompletion()
  same('deltas', deltas.filter((delta) => delta), tokens(text))
  same('choice', final.choices.map(({ message: { role, content }, finish_reason }) => [role, content, finish_reason]), [
    ['assistant', text, 'stop'],
  ])
  counted('final', final, usage([text], tokens(text).length))
  return "a stream accumulated by the package"
}

async function refused(what, made, kind, expected) {
  let got
  try {
    got = await made()
  } catch (error) {
    if (!(error instanceof kind)) throw new Different(`${what}: ${error.stack}`)
    same(`${what}: keys`, Object.keys(error.error).sort(), ['code', 'message', 'param', 'type'])
    same(`${what}: type`, error.type, 'invalid_request_error')
    for (const [key, value] of Object.entries(expected)) same(`${what}: ${key}`, error[key], value)
    if (!(typeof error.error.message === 'string' && error.error.message))
      throw new Different(`${what}: message ${error.error.message}`)
    return
  }
  throw new Different(`${what}: instead of an error, ${JSON.stringify(got).slice(0, 400)}`)
}

async function errors() {
  const unknown = { status: 404, param: 'model', code: 'model_not_found' }
  const invalid = (param) => ({ status: 400, param })
  for (const stream of [false, true]) {
    const noContent = [{ role: 'user' }]
    for (const [param, made] of [
      ['messages', () => chat('', { messages: 'a', stream })],
      ['messages[0].content', () => chat('', { messages: noContent, stream })],
      ['prompt', () => completion(7, { stream })],
      ['max_tokens', () => chat('a', { max_tokens: 'a', stream })],
    ])
      await refused(`${param}, stream=${stream}`, made, OpenAI.BadRequestError, invalid(param))
    // Half a surrogate pair: JSON can contain it, but Unicode text cannot.
    const half = () => chat('\uD83D', { stream })
    await refused(`half a character, stream=${stream}`, half, OpenAI.BadRequestError, invalid(null))
    for (const ask of [chat, completion]) {
      const made = () => ask('a', { model: 'x', stream })
      await refused(`${ask.name}, model, stream=${stream}`, made, OpenAI.NotFoundError, unknown)
    }
  }
  for (const [path, param] of [['/chat/completions', 'messages'], ['/completions', 'prompt']]) {
    for (const body of ['', '{', '[]', '{"model": "echo"}']) {
      const options = { body: new TextEncoder().encode(body), headers: { 'content-type': 'application/json' } }
      const expected = invalid(body.includes('echo') ? param : null)
      await refused(`${path} ${body}`, () => client.post(path, options), OpenAI.BadRequestError, expected)
    }
  }
  chatWhole('afterwards', await chat('hello'), 'hello')
  return 'errors: unknown model, malformed requests'
}

async function apiKey() {
  const right = { by: connect(GATEWAY_KEYED) }
  const wrong = { by: connect(GATEWAY_KEYED, `${GATEWAY_KEY}x`) }
  const none = { by: right.by.withOptions({ defaultHeaders: { authorization: null } }) }
  const expected = { status: 401, param: null, code: 'invalid_api_key' }
  for (const [what, made] of [
    ['chat', () => chat('hello', {}, wrong)],
    ['chat, streamed', () => chat('hello', { stream: true }, wrong)],
    ['completions', () => completion('hello', {}, wrong)],
    ['models', () => wrong.by.models.list()],
    ['no key', () => chat('hello', {}, none)],
  ])
    await refused(what, made, OpenAI.AuthenticationError, expected)
  chatWhole('right key', await chat('hello', {}, right), 'hello')
  chatChunks('right key', await all(chat('hello', { stream: true }, right)), ['hello'])
  return 'API key: right, wrong, none'
}

/** While one stream is open, reads two more in turn; then closes the first one early and reads another. */
async function sideBySide() {
  const slow = { by: connect(GATEWAY_SLOW) }
  const open = async (text) => (await chat(text, { stream: true }, slow))[Symbol.asyncIterator]()
  const rest = async (stream) => {
    const chunks = []
    for (let next; !(next = await stream.next()).done; ) chunks.push(next.value)
    return chunks
  }

  // This stream takes far longer than the others.
  const long = await open('word '.repeat(5000))
  const begun = [await long.next(), await long.next()]
  same("the beginning of the long stream", begun.map(({ value }) => value.choices[0].delta.content), ['', 'word '])

  const texts = ['a b c d e f', '\none\n two ']
  const streams = [await open(texts[0]), await open(texts[1])]
  const taken = [[], []]
  for (let i = 0; i < 4; i++) for (const [j, stream] of streams.entries()) taken[j].push((await stream.next()).value)
  for (const [j, stream] of streams.entries())
    chatChunks('one of two', [...taken[j], ...(await rest(stream))], tokens(texts[j]))

  // `break` in a `for await` does the same.
  await long.return()
  chatChunks('after closing', await rest(await open('still here')), ['still ', 'here'])
  return 'parallel streams, and one closed early'
}

async function manyAtATime() {
  const texts = Array.from({ length: 16 }, (_, i) => `${i} `.repeat(i + 1))
  const answers = await Promise.all(texts.map((text) => all(chat(text, { stream: true }))))
  answers.forEach((chunks, i) => chatChunks('one of many', chunks, tokens(texts[i])))
  return `${texts.length} parallel streams`
}

await run('node', [
  models,
  chatOfEveryText,
  completionOfEveryText,
  severalPrompts,
  severalMessages,
  maxTokens,
  endOfStream,
  streamHelper,
  errors,
  apiKey,
  sideBySide,
  manyAtATime,
])

// A failed check may leave connections open, and Node would wait for them.
process.exit()
