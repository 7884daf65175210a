// What the chat and the talk have in common.

import { byId } from './dom.js'

/** A form for questions: the text, the buttons to send and to stop, and the line that says what went wrong. */
export class AskForm {
  /** Stops the current answer; `undefined` if there is none. */
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
      // While a character is being composed, Enter completes it. In Safari only the code 229 says so.
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return
      event.preventDefault()
      if (!event.repeat) this.form.requestSubmit()
    })
    // A key that is held down on the button Send does not press Stop, which gets the focus.
    this.form.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && event.repeat && event.target !== this.input) event.preventDefault()
    })
    this.stop.addEventListener('click', () => this.#stopIt?.())
    for (const example of document.querySelectorAll(`[data-for=${name}]`)) {
      // What is being written stays as it is.
      example.addEventListener('click', () => this.send.disabled || ask(example.textContent))
      example.disabled = false
    }
    this.send.disabled = false
    // After a reload, Firefox restores the state that it had.
    this.stop.disabled = true
  }

  /** Begins an answer, which `stopIt` stops. If the last one is still heard, it is stopped first. */
  begin(stopIt) {
    this.#stopIt?.()
    this.#stopIt = stopIt
    this.say('')
    this.stop.disabled = false
    // A disabled button loses the focus.
    if (document.activeElement === this.send) this.stop.focus()
    this.send.disabled = true
  }

  /** The answer is complete. Its sound may still be playing, which can be stopped. */
  allowSend() {
    this.send.disabled = false
  }

  /** Ends the answer that was begun with this. If another has begun since, the buttons belong to that one. */
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
  return ['failed', navigator.onLine ? words : `This device is offline. ${words}`]
}
