// Checks the tool calls that the page carries out.

import { Different, same } from '../check.mjs'
import { visit } from './visit.mjs'

// The last ones are invalid: each must report a reason and change nothing.
const CALLS = [
  ['change_shape', { shape: 'circle', colour: 'rebeccapurple', size: 150, x: 20, y: 80 }],
  ['change_shape', { shape: 'square', colour: '#0a0b0c' }],
  ['change_shape', { shape: 'triangle', x: 90.5, size: 10 }],
  ['change_shape', { shape: 'circle', y: 0 }],
  ['change_shape', { shape: 'hexagon', colour: 'red' }],
  ['change_shape', { colour: 'red' }],
  ['change_shape', { shape: 'square', colour: 'no colour' }],
  ['change_shape', { shape: 'square', colour: 'red;fill:blue' }],
  ['change_shape', { shape: 'square', size: 500, colour: 'red' }],
  ['change_shape', { shape: 'square', x: -1, y: 1 }],
  ['change_shape', { shape: 'square', x: '50' }],
  // This object has no text.
  ['change_shape', { shape: 'square', colour: { toString: 1 } }],
  ['change_shape', { shape: { toString: 1 } }],
  ['delete_shape', { shape: 'square' }],
  ['change_shape', '{"shape": "square", "x": 5'],
  ['change_shape', '[]'],
]
const VALID = 4

export const calls = (browser) =>
  visit(browser, async ({ view, model }) => {
    const before = (await view.look()).talk.shapes
    const place = (shape) => {
      const [box, stage] = [`shape-${shape}`, 'stage'].map((id) => document.getElementById(id).getBoundingClientRect())
      return [
        (box.x + box.width / 2 - stage.x) / stage.width,
        (box.y + box.height / 2 - stage.y) / stage.height,
        box.width,
      ]
    }
    const width = (await view.page.evaluate(place, 'circle'))[2]
    await view.send('talk', 'Change the shapes.')
    const exchange = await model.asked()
    await exchange.say('Yes.')
    const texts = CALLS.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
    await exchange.call(...texts)
    await exchange.done()
    const { talk } = await view.until('complete', ({ talk }) => talk.state === 'complete' && talk.calls.length >= VALID)
    same('shapes', talk.shapes, {
      circle: { ...before.circle, colour: 'rebeccapurple', size: '150', x: '20', y: '0' },
      square: { ...before.square, colour: '#0a0b0c' },
      triangle: { ...before.triangle, size: '10', x: '90.5' },
    })
    if (!talk.calls.every((call) => /\w+ \w+/.test(call))) throw new Different(`calls in words: ${talk.calls}`)
    // The shape may move there slowly.
    for (const end = Date.now() + 10_000; ;) {
      const [x, , now] = await view.page.evaluate(place, 'circle')
      if (Math.abs(x - 0.2) < 0.1 && Math.abs(now / width - 1.5) < 0.2) break
      if (Date.now() > end)
        throw new Different(`the circle is at ${x} of the stage, ${now} pixels wide, and was ${width}`)
    }

    await view.send('talk', 'And now?')
    const next = await model.asked()
    const [question, answer, ...results] = next.body.messages.filter(({ role }) => role !== 'system')
    same('question', question, { role: 'user', content: 'Change the shapes.' })
    same('answer', [answer.role, answer.content], ['assistant', 'Yes.'])
    same(
      'calls',
      answer.tool_calls,
      texts.map(([name, text], at) => ({ id: `call_${at}`, type: 'function', function: { name, arguments: text } })),
    )
    same('next question', results.pop(), { role: 'user', content: 'And now?' })
    const ids = CALLS.map((_, at) => ['tool', `call_${at}`])
    same(
      'results',
      results.map(({ role, tool_call_id }) => [role, tool_call_id]),
      ids,
    )
    for (const [at, { content }] of results.entries()) {
      const isRight = at < VALID ? content === 'done' : content !== 'done' && /\w+ \w+/.test(content)
      if (!isRight) throw new Different(`the result of ${texts[at]} is ${content}`)
    }
    await next.say('Nothing.')
    await next.done()
    await view.until('complete', ({ talk }) => talk.text === 'Nothing.' && talk.state === 'complete')
    return `${CALLS.length} calls, of which ${VALID} change a shape, and their results are in the next request`
  })
