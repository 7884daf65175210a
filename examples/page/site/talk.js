// The talk: answers with text, sound, tool calls that move shapes, and drawings.

import { AskForm } from './ask-form.js'
import { append, byId } from './dom.js'
import { Player } from './player.js'
import { TOOL, carryOut, describe, toolCalls } from './stage.js'

/** Starts the talk. `talk(body, view, signal)` sends a question, and calls the view with the answer. */
export function startTalk(talk) {
  const sound = byId('talk-sound')
  const messages = []
  let player
  describe()
  sound.addEventListener('change', () => sound.checked || player?.stop())
  const form = new AskForm('talk', (question) => {
    const request = new AbortController()
    form.begin(stop)
    // The sound is switched on here, because browsers allow it only in the handler of a click or a key press.
    const heard = (player = sound.checked ? Player.switchOn() : undefined)
    const answer = new TalkAnswer()
    byId('talk-question').textContent = question
    const asked = [...messages, { role: 'user', content: question }]
    const end = (outcome, words) => {
      answer.end(outcome)
      if (answer.messages.length) messages.push(asked.at(-1), ...answer.messages)
      else form.giveBack(question)
      form.say(words)
      form.allowSend()
    }
    const view = {
      text: (sentence, utf8) => answer.add(sentence, utf8),
      sound: async (sentence, file) => heard?.add(answer.sentence(sentence), file.slice().buffer),
      calls: (json) => answer.carryOut(new TextDecoder().decode(json)),
      drawing: (type, image) => draw(new Blob([image], { type })),
      end: async (outcome, words) => {
        end(outcome, words)
        await heard?.finish()
        form.end(stop)
      },
    }
    talk(JSON.stringify({ messages: asked, tools: [TOOL] }), view, request.signal)
    function stop() {
      request.abort()
      heard?.stop()
      // If only the sound was stopped, the answer is complete.
      if (answer.isBusy) end('stopped', '')
      form.end(stop)
    }
  })
}

/** An answer of the talk: its sentences and its tool calls. */
class TalkAnswer {
  #element = byId('talk-answer')
  #list = byId('talk-calls')
  #sentences = new Map()
  /** Holds back the start of a character that is not complete. */
  #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  /** Each call with its result. */
  #calls = []

  constructor() {
    this.#element.replaceChildren()
    this.#list.replaceChildren()
    draw()
    this.#element.setAttribute('aria-busy', 'true')
    this.#element.dataset.state = 'waiting'
    // It begins at its end, like the log of the chat.
    byId('talk-log').scrollTop = 0
  }

  /** Returns the element of a sentence. The first call creates it. */
  sentence(number) {
    if (!this.#sentences.has(number)) {
      const sentence = append(this.#element, 'span', 'sentence')
      Object.assign(sentence.dataset, { sentence: number, sound: 'none' })
      this.#sentences.set(number, sentence)
    }
    return this.#sentences.get(number)
  }

  /** Adds UTF-8. Nothing is the end of a part. */
  add(sentence, utf8) {
    const words = this.#decoder.decode(utf8, { stream: utf8.length > 0 })
    if (!words) return
    this.#element.dataset.state = 'streaming'
    this.sentence(sentence).firstChild.appendData(words)
  }

  /** Carries out the tool calls of a part, and lists the results. */
  carryOut(json) {
    const calls = toolCalls(json)
    if (!calls) append(this.#list, 'li', 'refused', 'the calls of the answer cannot be read')
    for (const call of calls ?? []) {
      const { isDone, words } = carryOut(call.function)
      append(this.#list, 'li', isDone ? '' : 'refused', isDone ? words : `not done: ${words}`)
      this.#calls.push({ call, result: isDone ? 'done' : words })
    }
  }

  get isBusy() {
    return this.#element.getAttribute('aria-busy') === 'true'
  }

  end(state) {
    this.#element.dataset.state = state
    this.#element.setAttribute('aria-busy', 'false')
  }

  /** The messages about this answer in the next request. An empty answer has none. */
  get messages() {
    const content = [...this.#sentences.values()].map(({ textContent }) => textContent).join('')
    if (!content && !this.#calls.length) return []
    const calls = this.#calls.map(({ call }) => call)
    const results = this.#calls.map(({ call, result }) => ({ role: 'tool', tool_call_id: call.id, content: result }))
    return [{ role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) }, ...results]
  }
}

/** Replaces the drawing; without an argument it is hidden. */
function draw(blob) {
  const image = byId('talk-drawing')
  const last = image.src
  image.hidden = !blob
  if (blob) image.src = URL.createObjectURL(blob)
  else image.removeAttribute('src')
  // The browser keeps an image in memory until its URL is revoked.
  URL.revokeObjectURL(last)
}
