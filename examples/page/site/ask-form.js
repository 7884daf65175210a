// The form that the chat and the talk share.

import { Countdown } from './countdown.js'
import { byId } from './dom.js'

/** A form for questions: the text, the buttons to send and to stop, and a status line. */
export class AskForm {
  /** Stops the current answer; `undefined` if there is none. */
  #stopIt
  #countdown

  /** Enables the form. `ask` is called with each question. */
  constructor(name, ask) {
    for (const part of ['form', 'input', 'send', 'stop', 'status']) this[part] = byId(`${name}-${part}`)
    this.#countdown = new Countdown(byId(`${name}-countdown`))
    this.form.addEventListener('submit', (event) => {
      event.preventDefault()
      const question = this.input.value.trim()
      // The Enter key also submits while an answer is still coming.
      if (this.send.disabled || !question) return
      this.input.value = ''
      ask(question)
    })
    this.input.addEventListener('keydown', (event) => {
      // While a character is being composed, Enter completes it. In Safari only the key code 229 shows that.
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return
      event.preventDefault()
      if (!event.repeat) this.form.requestSubmit()
    })
    // If Enter is held down on the button Send, it must not press Stop, which gets the focus then.
    this.form.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && event.repeat && event.target !== this.input) event.preventDefault()
    })
    this.stop.addEventListener('click', () => this.#stopIt?.())
    for (const example of document.querySelectorAll(`[data-for=${name}]`)) {
      // The text in the input is not changed.
      example.addEventListener('click', () => this.send.disabled || ask(example.textContent))
      example.disabled = false
    }
    this.send.disabled = false
    // After a reload, Firefox restores the state that the button had.
    this.stop.disabled = true
  }

  /** Begins an answer, which `stopIt` stops. If the sound of the last answer still plays, it is stopped first. */
  begin(stopIt) {
    this.#stopIt?.()
    this.#stopIt = stopIt
    // A small screen may show only a part of the card.
    this.form.closest('.card').scrollIntoView({ block: 'nearest' })
    this.say('')
    this.stop.disabled = false
    // A disabled button loses the focus.
    if (document.activeElement === this.send) this.stop.focus()
    this.send.disabled = true
  }

  /** Enables Send: the answer is complete. Its sound may still be playing, and Stop stops it. */
  allowSend() {
    this.send.disabled = false
  }

  /** Ends the answer that began with `stopIt`. If another answer has begun since, the buttons belong to that one. */
  end(stopIt) {
    if (this.#stopIt !== stopIt) return
    this.#stopIt = undefined
    this.allowSend()
    if (document.activeElement === this.stop) this.input.focus()
    this.stop.disabled = true
  }

  /** Shows the status. `''` clears it. */
  say(words) {
    this.#countdown.stop()
    this.status.textContent = words && !navigator.onLine ? `This device is offline. ${words}` : words
  }

  /** Shows why the answer has to wait, and counts the delay down, in milliseconds. */
  wait(reason, delay) {
    this.say(reason)
    this.#countdown.start(delay)
  }

  /** Puts a question back into the empty input, so that it can be sent again. */
  giveBack(question) {
    this.input.value ||= question
  }
}
