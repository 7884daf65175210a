// Checks the chat: each answer is exact, or is marked as incomplete, and the model never gets a request again that
// may already have been billed.

import { setTimeout } from 'node:timers/promises'

import { Different, TEXTS, same } from '../check.mjs'
import { visit } from './visit.mjs'

const HTML = '<b>bold</b> &amp; <script>alert(1)</script><img src=x onerror=alert(1)>'

export const everyText = (browser) =>
  visit(browser, async ({ view, model }) => {
    const texts = [...TEXTS, { name: 'HTML', text: HTML }]
    for (const [at, { name, text }] of texts.entries()) {
      await view.send('chat', `${at}: ${name}`)
      const exchange = await model.asked()
      await exchange.say(text)
      await exchange.done()
      const seen = await view.until(
        `answer ${at} is complete`,
        ({ chat }) => chat.messages.length === 2 * at + 2 && chat.last.state === 'complete',
      )
      same(name, seen.chat.last.text, text)
      same(`${name}: status`, seen.chat.status, text ? '' : 'The model gave no answer.')
    }
    const { messages } = (await view.look()).chat
    same(
      'answers',
      messages.map(({ text }) => text).filter((_, at) => at % 2),
      texts.map(({ text }) => text),
    )
    return `the answers of ${texts.length} texts are exact`
  })

export const everyCut = (browser) =>
  visit(browser, async ({ view, model }) => {
    const text = 'é 日本 🦀👩‍👩‍👧 \r\n שלום'
    for (const size of [1, 2, 3, 5, 7]) {
      await view.send('chat', HTML)
      const exchange = await model.asked()
      same('last message of the request', exchange.body.messages.at(-1), { role: 'user', content: HTML })
      await exchange.say(text, { size })
      await exchange.done()
      const { messages, last } = await view.answer('complete', text)
      same('question', messages.at(-2).text, HTML)
      same('answer', last.text, text)
    }
    return 'characters split into bytes, and HTML shown as text'
  })

export const firstWord = (browser) =>
  visit(browser, async ({ view, model }) => {
    await view.send('chat', 'Hello?')
    const exchange = await model.asked()
    same('request', exchange.line, 'POST /v1/chat/completions')
    same('model, stream', [exchange.body.model, exchange.body.stream], ['m', true])
    await view.answer('waiting')
    await exchange.say('First')
    same('the stop button', (await view.answer('streaming', 'First')).canStop, true)
    await exchange.say(', then <b>the rest</b>.')
    await view.answer('streaming', 'First, then <b>the rest</b>.')
    // The answer is completed by the end marker, not by the end of the connection, which is still open.
    await exchange.done()
    same('the stop button', (await view.answer('complete')).canStop, false)
    await exchange.left()

    await view.send('chat', 'And then?')
    const next = await model.asked()
    const spoken = next.body.messages
      .filter(({ role }) => role !== 'system')
      .map(({ role, content }) => [role, content])
    const before = [
      ['user', 'Hello?'],
      ['assistant', 'First, then <b>the rest</b>.'],
      ['user', 'And then?'],
    ]
    same('conversation', spoken, before)
    await next.done()
    await view.answer('complete', '')
    await view.says('chat', 'The model gave no answer.')
    return 'the first word is shown before the rest is sent, and [DONE] completes the answer'
  })

/** Chunks without words, as gateways and filters send them, do not end an answer. */
export const withoutWords = (browser) =>
  visit(browser, async ({ view, model }) => {
    const delta = (delta) => ({ choices: [{ index: 0, delta }] })
    const chunks = [
      {},
      { choices: null },
      { choices: [] },
      { choices: [{}] },
      delta(null),
      delta({}),
      delta({ content: null, tool_calls: null }),
    ]
    for (const form of ['chat', 'talk']) {
      await view.send(form, 'Do you filter?')
      const exchange = await model.asked()
      for (const chunk of chunks) await exchange.send(`data: ${JSON.stringify(chunk)}\n\n`)
      await exchange.say('Yes.')
      for (const chunk of chunks) await exchange.send(`data: ${JSON.stringify(chunk)}\n\n`)
      await exchange.say(' Always.')
      await exchange.done()
      const seen = ({ chat, talk }) => (form === 'chat' ? chat.last : talk)
      const end = await view.until('the end', (now) => !['waiting', 'streaming'].includes(seen(now).state))
      same(form, [seen(end).state, seen(end).text], ['complete', 'Yes. Always.'])
    }
    return `${chunks.length} kinds of chunks without words, in both forms`
  })

export const busy = (browser) =>
  visit(browser, async ({ view, model }) => {
    await view.send('chat', 'Are you busy?')
    ;(await model.asked()).refuse(429, 'Too many questions.', { 'Retry-After': '1' })
    const { chat } = await view.says('chat', /429/, /\d\ss/, /again/i)
    same('state', chat.last.state, 'waiting')
    ;(await model.asked()).refuse(429, 'Too many questions.')
    const exchange = await model.asked()
    await exchange.say('Not any more.')
    same('status', (await view.answer('streaming', 'Not any more.')).status, '')
    await exchange.done()
    await view.answer('complete', 'Not any more.')
    same('requests', model.count, 3)
    return 'two 429 responses, then an answer: 3 requests'
  })

export const alwaysBusy = (browser) =>
  visit(browser, async ({ view, model }) => {
    await view.send('chat', 'Are you always busy?')
    let count = 0
    const refuse = async () => {
      for (;;) {
        ;(await model.asked()).refuse(429, 'Too many questions.')
        count += 1
      }
    }
    const refusing = refuse().catch(() => {})
    await view.until('it gives up', ({ chat }) => chat.last?.state === 'failed', { seconds: 50 })
    await view.says('chat', /429|busy/i)
    same('requests', count, 5)
    return `429 for each of ${count} requests`
  })

export const refused = (browser) =>
  visit(browser, async ({ view, model }) => {
    const errors = [
      [400, 'The conversation is too long: 70000 tokens.'],
      [401, 'The key is <b>not</b> known.'],
      [404, 'There is no model m.'],
      // A proxy may answer this while the model works, so the question must not be sent a second time.
      [503, 'The model is overloaded.'],
    ]
    for (const [status, message] of errors) {
      await view.send('chat', `What about ${status}?`)
      ;(await model.asked()).refuse(status, message)
      await view.answer('failed', '')
      await view.says('chat', message)
    }
    same('requests', model.count, errors.length)
    return `the messages of ${errors.map(([status]) => status).join(', ')}, one request each`
  })

export const cutOff = (browser) =>
  visit(browser, async ({ view, model }) => {
    const ways = [
      ['inside an event', async (exchange) => (await exchange.send('data: {"choices":[{"del'), exchange.cut())],
      ['between events', (exchange) => exchange.cut()],
      ['without [DONE]', (exchange) => exchange.end()],
      [
        'inside a character',
        async (exchange) => (await exchange.send(Buffer.from('data: "é').subarray(0, -1)), exchange.end()),
      ],
    ]
    for (const [way, cut] of ways) {
      await view.send('chat', way)
      const exchange = await model.asked()
      await exchange.say('These words stay')
      same(`${way}: status`, (await view.answer('streaming', 'These words stay')).status, '')
      await cut(exchange)
      await view.answer('cut-off', 'These words stay')
      const { canSend, canStop } = (await view.says('chat', /cut off|incomplete|not complete/i)).chat
      same(`${way}: send, stop`, [canSend, canStop], [true, false])
    }
    // The model has accepted the request and may have answered, so a second request could be billed again.
    await view.send('chat', 'nothing')
    const exchange = await model.asked()
    await exchange.send('')
    await setTimeout(100)
    exchange.cut()
    await view.until('it failed', ({ chat }) => /cut-off|failed/.test(chat.last.state))
    await view.says('chat', /\w+ \w+/)
    // Long enough for another attempt, which must not be made.
    await setTimeout(2000)
    same('requests', model.count, ways.length + 1)
    return `truncated ${ways.map(([way]) => way).join(', ')} and before the first word, one request each`
  })

export const stopped = (browser) =>
  visit(browser, async ({ view, model }) => {
    await view.send('chat', 'Stop while you speak.')
    const speaking = await model.asked()
    await speaking.say('I speak')
    await view.answer('streaming', 'I speak')
    await view.click('chat-stop')
    same('stop', (await view.answer('stopped', 'I speak')).canStop, false)
    await speaking.left()

    await view.send('chat', 'Stop before the first word.')
    const thinking = await model.asked()
    await view.answer('waiting', '')
    await view.click('chat-stop')
    await view.answer('stopped', '')
    await thinking.left()

    // The first delay is too long to wait for its end. No request may follow the end of the second one.
    for (const seconds of [30, 3]) {
      await view.send('chat', `Stop while you wait for ${seconds} s.`)
      ;(await model.asked()).refuse(429, 'Busy.', { 'Retry-After': `${seconds}` })
      await view.says('chat', /again/i)
      await view.click('chat-stop')
      await view.answer('stopped', '')
    }
    await setTimeout(3500)

    // The unanswered questions are not part of the conversation.
    await view.send('chat', 'And now?')
    const exchange = await model.asked()
    same('conversation', exchange.body.messages, [
      { role: 'user', content: 'Stop while you speak.' },
      { role: 'assistant', content: 'I speak' },
      { role: 'user', content: 'And now?' },
    ])
    await exchange.say('Now.')
    await exchange.done()
    await view.answer('complete', 'Now.')
    return 'stopped while it speaks, before its first word, and between attempts'
  })
