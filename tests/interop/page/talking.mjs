// Checks the talk: text, sound and drawings are exact and in order.

import { Different, same } from '../check.mjs'
import { begin, close, part, wav } from './site.mjs'
import { visit, visitSite } from './visit.mjs'

const [, , , , folder] = process.argv

// Each is long enough to be spoken separately. The first one takes two seconds.
const SENTENCES = [
  'This first sentence takes long enough for the others to come.',
  ' Grrrrrrrrrrrrr <b>grrrrrrr</b> & hmmmmmmm!',
  '\nBrrrrrrrrrrrr, 日本 🦀 — schwrrrrrrrrr brrrrr.',
  ' 🦀 – 🦀',
]
const TEXT = SENTENCES.join('')

/** Runs in the page. Records the events of the sounds and drawings. */
function watch() {
  const seen = (globalThis.seen = { sounds: [], played: [], drawings: [] })
  const isSentence = (node) => node.nodeType === Node.ELEMENT_NODE && node.matches('.sentence')
  const note = ({ dataset }, sound) => seen.sounds.push([Number(dataset.sentence), sound])
  new MutationObserver((records) => {
    for (const [at, { type, target, addedNodes }] of records.entries()) {
      // A record contains the value before the change. The next record contains the value after it.
      const after = (node) =>
        records.slice(at + 1).find((next) => next.type === 'attributes' && next.target === node)?.oldValue ??
        node.dataset.sound
      if (type === 'attributes') note(target, after(target))
      else [...addedNodes].filter(isSentence).forEach((node) => note(node, after(node)))
    }
  }).observe(document.getElementById('talk-answer'), {
    subtree: true,
    childList: true,
    attributeFilter: ['data-sound'],
    attributeOldValue: true,
  })

  const drawing = document.getElementById('talk-drawing')
  new MutationObserver((records) => {
    for (const at of records.keys()) seen.drawings.push(records[at + 1]?.oldValue ?? drawing.src)
  }).observe(drawing, { attributeFilter: ['src'], attributeOldValue: true })

  // Measured by the audio clock, which does not depend on how busy this machine is.
  const { start } = AudioBufferSourceNode.prototype
  AudioBufferSourceNode.prototype.start = function (when = 0, ...more) {
    const sound = { from: Math.max(when, this.context.currentTime), seconds: this.buffer.duration, end: null }
    seen.played.push(sound)
    this.addEventListener('ended', () => (sound.end = this.context.currentTime))
    return start.call(this, when, ...more)
  }
}

const seen = (view) => view.page.evaluate(() => globalThis.seen)

/** Returns the numbers of the sentences whose sound reached this state, in order. */
const numbers = (sounds, wanted) => sounds.filter(([, sound]) => sound === wanted).map(([number]) => number)

/** Asserts that sounds follow one another without a gap or an overlap, and that each is played to its end. */
function sameSounds(what, { sounds, played }, count) {
  const all = Array.from({ length: count }, (_, at) => at + 1)
  same(`${what}: sentences in the order of playing`, numbers(sounds, 'playing'), all)
  same(`${what}: sentences in the order of their ends`, numbers(sounds, 'played'), all)
  const steps = sounds.filter(([, sound]) => sound === 'playing' || sound === 'played')
  same(
    `${what}: one at a time`,
    steps,
    all.flatMap((number) => [
      [number, 'playing'],
      [number, 'played'],
    ]),
  )
  same(`${what}: sounds`, played.length, count)
  for (const [at, { from, seconds, end }] of played.entries()) {
    if (!(end >= from + seconds - 0.005))
      throw new Different(`${what}: sound ${at + 1} of ${seconds} s from ${from} to ${end}`)
    const gap = at ? from - played[at - 1].from - played[at - 1].seconds : 0
    if (gap < -0.001 || gap > 0.05) throw new Different(`${what}: ${gap} s between sounds ${at} and ${at + 1}`)
  }
}

export const whole = (browser) =>
  visit(browser, async ({ view, model }) => {
    await view.page.evaluate(watch)
    await view.send('talk', 'Say something.')
    const exchange = await model.asked()
    const { tools, messages } = exchange.body
    same(
      'tools',
      tools.map(({ type, function: { name } }) => [type, name]),
      [['function', 'change_shape']],
    )
    same('question', messages.at(-1), { role: 'user', content: 'Say something.' })
    await exchange.say(SENTENCES[0].slice(0, 20))
    await view.until('the first words', ({ talk }) => talk.text === SENTENCES[0].slice(0, 20))
    // The space after the sentence ends it.
    await exchange.say(`${SENTENCES[0].slice(20)} `)
    const { talk } = await view.until('the first sound', ({ talk }) => talk.sounds[0] === 'playing' && talk.drawing)
    same('the stop button', [talk.state, talk.canStop], ['streaming', true])

    await exchange.say(TEXT.slice(SENTENCES[0].length + 1))
    await exchange.done()
    const end = await view.until(
      'all sounds were played',
      ({ talk }) => talk.state === 'complete' && talk.sounds[2] === 'played',
    )
    same('text', end.talk.text, TEXT)
    same(
      'sentences',
      end.talk.sentences.map(({ sentence, sound }) => [sentence, sound]),
      [
        ['1', 'played'],
        ['2', 'played'],
        ['3', 'played'],
        ['4', 'none'],
      ],
    )
    same('status', end.talk.status, '')
    const happened = await seen(view)
    sameSounds('talk', happened, 3)

    // One after each sound, and one at the end.
    const drawings = [...new Set(happened.drawings)]
    same('drawings', [happened.drawings.length, drawings.length], [4, 4])
    same(
      'kinds of URLs',
      drawings.filter((url) => !url.startsWith('blob:')),
      [],
    )
    const width = () => document.getElementById('talk-drawing').naturalWidth
    if (!((await view.page.evaluate(width)) > 0)) throw new Different('the last drawing is not shown')
    same('errors', [...view.errors, ...view.failures], [])
    const isThere = (url) =>
      fetch(url).then(
        () => true,
        () => false,
      )
    const there = await Promise.all(drawings.map((url) => view.page.evaluate(isThere, url)))
    same('drawings that are not released', there.slice(0, -1), [false, false, false])
    // These errors are about URLs that no longer exist.
    view.errors.length = 0
    return 'text and sound are exact, and the first of each arrives before the rest is sent'
  })

export const cutOff = (browser) =>
  visit(browser, async ({ view, model }) => {
    await view.page.evaluate(watch)
    await view.send('talk', 'Say something.')
    const exchange = await model.asked()
    await exchange.say('Grrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr! And then')
    // It is played before any other one arrives.
    await view.until('the first sound is played', ({ talk }) => talk.sounds[0] === 'played' && / then$/.test(talk.text))
    exchange.cut()
    const { talk } = await view.until('the page reports the truncated answer', ({ talk }) => talk.state === 'cut-off')
    same('text', talk.text, 'Grrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr! And then')
    await view.says('talk', /cut off|incomplete|not complete/i)
    sameSounds('cut off', await seen(view), 1)

    await view.send('talk', 'Is that allowed?')
    ;(await model.asked()).refuse(400, 'It is <b>not</b> allowed.')
    await view.until('it failed', ({ talk }) => talk.state === 'failed')
    await view.says('talk', 'It is <b>not</b> allowed.')
    return 'truncated and refused, one request each'
  })

export const stopped = (browser) =>
  visit(browser, async ({ view, model }) => {
    await view.page.evaluate(watch)
    await view.send('talk', 'Say something long.')
    const exchange = await model.asked()
    await exchange.say(`${'la '.repeat(60)}\nand more`)
    await view.until('it plays', ({ talk }) => talk.sounds[0] === 'playing')
    await view.click('talk-stop')
    await view.until(
      'it stops',
      ({ talk }) => talk.state === 'stopped' && !talk.sounds.includes('playing') && !talk.canStop,
    )
    await exchange.left()
    const isSilent = ({ played: [{ from, seconds, end }] }) => end !== null && end < from + seconds
    for (const end = Date.now() + 5_000; !isSilent(await seen(view));)
      if (Date.now() > end) throw new Different(`the sound continues: ${JSON.stringify((await seen(view)).played)}`)

    await view.click('talk-sound')
    await view.send('talk', 'Say it without a sound.')
    const silent = await model.asked()
    await silent.say('This is a sentence without a sound. And another one.')
    await silent.done()
    await view.until('complete', ({ talk }) => talk.state === 'complete' && /another one\.$/.test(talk.text))
    same('sounds', (await seen(view)).played.length, 1)
    return 'stopped while it plays, and without a sound'
  })

/** After an answer is stopped, parts that arrived after sounds still in the queue are neither shown nor carried out. */
export const stoppedLate = (browser) => {
  const call = { name: 'change_shape', arguments: '{"shape":"circle","size":10}' }
  const answer = (_, response) => {
    begin(response)
    // All parts are sent at once, so that the last ones arrive while the sounds wait. The first sound takes long.
    response.setMaxListeners(0).cork()
    for (let at = 1; at <= 40; at++) part(response, 'audio/wav', wav(at === 1 ? 30_000 : 30, 3000), { Sentence: at })
    part(response, 'text/plain; charset=utf-8', 'Too late.', { Sentence: 41 })
    part(response, 'application/json', JSON.stringify({ tool_calls: [{ id: 'a', type: 'function', function: call }] }))
    response.uncork()
  }
  return visitSite(browser, folder, { '/talk': answer }, async ({ view }) => {
    const { shapes } = (await view.look()).talk
    await view.send('talk', 'Say very much.')
    await view.until('sounds wait', ({ talk }) => talk.sounds.length > 32)
    await view.click('talk-stop')
    await view.until('it stops', ({ talk }) => !talk.canStop)
    const { talk } = await view.look()
    same('state, text, calls', [talk.state, talk.text, talk.calls], ['stopped', '', []])
    same('shapes', talk.shapes, shapes)
    return 'stopped while sounds wait, and later parts are not shown'
  })
}

/** Checks parts that the page's server never sends. */
export const odd = (browser) => {
  const answer = async (_, response) => {
    begin(response)
    const sentence = (number) => ({ Sentence: number })
    const text = 'text/plain; charset=utf-8'
    await part(response, text, 'No sound', sentence(1))
    await part(response, 'audio/wav', 'RIFF, but no sound', sentence(1))
    await part(response, 'application/x-unknown', 'skipped')
    await part(response, text, Buffer.from('\xFF one', 'latin1'), sentence(2))
    await part(response, text, '', sentence(2))
    await part(response, 'audio/wav', wav(4000, 8000), sentence(2))
    await part(response, 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"/>')
    await part(response, 'application/json', '{"tool_calls": [')
    await part(response, 'application/json', '{"tool_calls": 5}')
    await part(response, 'application/json', '{}')
    await part(response, text, ' two', sentence(2))
    close(response)
  }
  return visitSite(browser, folder, { '/talk': answer }, async ({ view }) => {
    await view.page.evaluate(watch)
    await view.send('talk', 'Say something odd.')
    const { talk } = await view.until(
      'it ends',
      ({ talk }) => !['waiting', 'streaming'].includes(talk.state) && talk.sounds[1] === 'played',
    )
    same('state, text', [talk.state, talk.text], ['complete', 'No sound\uFFFD one two'])
    same('sounds', talk.sounds, ['failed', 'played'])
    const { sounds, played } = await seen(view)
    same('played', [numbers(sounds, 'playing'), played.length], [[2], 1])
    same('invalid calls are described', talk.calls.length > 0 || talk.status !== '', true)
    return 'odd or broken parts do not affect others'
  })
}
