// The chat: questions, and answers that grow word by word.

import { AskForm, shown } from './ask-form.js'
import { append, byId } from './dom.js'

/** The note below an incomplete answer. */
const NOTES = { stopped: 'Stopped.', 'cut-off': 'Cut off here.', failed: 'No answer.' }

/** Starts the chat. `chat(body, view, signal)` sends a question, and calls the view with the answer. */
export function startChat(chat) {
  const messages = []
  const form = new AskForm('chat', (question) => {
    const answer = new ChatAnswer(question)
    messages.push({ role: 'user', content: question })
    const end = (outcome, words) => {
      const [state, said] = shown(outcome, words)
      answer.end(state)
      if (answer.text) {
        messages.push({ role: 'assistant', content: answer.text })
      } else {
        // The conversation continues as if the question had not been asked.
        messages.pop()
        form.giveBack(question)
      }
      form.say(said || (answer.text || state === 'stopped' ? '' : 'The model gave no answer.'))
      form.end(stop)
    }
    const request = new AbortController()
    const stop = () => {
      request.abort()
      end('stopped', '')
    }
    form.begin(stop)
    const view = {
      connection: (state, words) => form.say(state === 'open' ? '' : words),
      text: (words) => answer.add(words),
      end,
    }
    chat(JSON.stringify({ messages }), view, request.signal)
  })
}

/** A question in the log of the chat, and the answer below it. */
class ChatAnswer {
  #log = byId('chat-log')
  #message
  #text
  #isMeasured = false

  constructor(question) {
    // A screen reader waits until the answer is complete.
    this.#log.setAttribute('aria-busy', 'true')
    this.#add('user', 'You: ', question)
    this.#message = this.#add('assistant', 'Answer: ', '')
    this.#message.dataset.state = 'waiting'
    this.#text = this.#message.querySelector('.text').firstChild
    this.#log.scrollTop = this.#log.scrollHeight
  }

  get text() {
    return this.#text.data
  }

  add(words) {
    this.#keepEndInView()
    if (!this.#text.length && words) this.#message.dataset.state = 'streaming'
    // Only the new text is added to the page.
    this.#text.appendData(words)
  }

  end(state) {
    this.#keepEndInView()
    this.#message.dataset.state = state
    if (NOTES[state]) append(this.#message, 'p', 'note', NOTES[state])
    this.#log.setAttribute('aria-busy', 'false')
  }

  #add(role, label, words) {
    const message = append(this.#log, 'div', 'message')
    message.dataset.role = role
    append(message, 'span', 'hidden', label)
    append(message, 'div', 'text', words)
    return message
  }

  /**
   * Keeps the end of the log in view, unless the user has scrolled away from it. Call it before each change. It
   * measures once per frame, because measuring after each word would be slow in a long log.
   */
  #keepEndInView() {
    if (this.#isMeasured) return
    const { scrollHeight, scrollTop, clientHeight } = this.#log
    const isAtEnd = scrollHeight - scrollTop - clientHeight < 48
    this.#isMeasured = true
    requestAnimationFrame(() => {
      this.#isMeasured = false
      if (isAtEnd) this.#log.scrollTop = this.#log.scrollHeight
    })
  }
}
