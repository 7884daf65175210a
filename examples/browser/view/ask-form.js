// What the chat and the talk have in common.

import { byId } from './dom.js'

/** A form with which one asks: the text, the buttons to send and to stop, and the line that says what went wrong. */
export class AskForm {
  /** Stops what goes on. */
  #stopIt

  /** Enables the form. `ask` is called with each question. */
  constructor(name, ask) {
    for (const part of ['form', 'input', 'send', 'stop', 'status']) this[part] = byId(`${name}-${part}`)
    this.form.addEventListener('submit', (event) => {
      event.preventDefault()
      const question = this.input.value.trim()
      // The Enter key also submits while an answer is still coming.
      if (this.send.disabled || !question) return
      this.input.value = ''
      ask(question)
    })
    this.input.addEventListener('keydown', (event) => {
      // While a character is being composed, Enter completes it.
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
      event.preventDefault()
      this.form.requestSubmit()
    })
    this.stop.addEventListener('click', () => this.#stopIt?.())
    for (const example of document.querySelectorAll(`[data-for=${name}]`)) {
      example.addEventListener('click', () => {
        this.input.value = example.textContent
        this.form.requestSubmit()
      })
      example.disabled = false
    }
    this.send.disabled = false
  }

  /** Something begins that can be stopped. What still goes on is stopped first. */
  begin(stopIt) {
    this.#stopIt?.()
    this.#stopIt = stopIt
    this.say('')
    this.stop.disabled = false
    // A disabled button loses the focus.
    if (document.activeElement === this.send) this.stop.focus()
    this.send.disabled = true
  }

  /** The answer is complete, even if something still goes on that can be stopped. */
  allowSend() {
    this.send.disabled = false
  }

  /** What was begun with this is over. If something else has begun since, the buttons are for that. */
  end(stopIt) {
    if (this.#stopIt !== stopIt) return
    this.#stopIt = undefined
    this.allowSend()
    if (document.activeElement === this.stop) this.input.focus()
    this.stop.disabled = true
  }

  /** Says what is going on. `''`: all is well. */
  say(words) {
    this.status.textContent = words
  }

  /** Gives a question back, so that it can be sent again. */
  giveBack(question) {
    this.input.value ||= question
  }
}

/** The state of an answer that ended, and the words about it. Only the browser knows whether there is a network. */
export function shown(outcome, words) {
  if (outcome !== 'unreachable') return [outcome, words]
  return ['failed', navigator.onLine ? words : 'This device is offline. Nothing was asked.']
}
