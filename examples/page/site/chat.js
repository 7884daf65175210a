// The chat: questions, and answers that grow word by word.

import { AskForm } from './ask-form.js'
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
      answer.end(outcome)
      if (answer.text) {
        messages.push({ role: 'assistant', content: answer.text })
      } else {
        // The conversation continues as if the question had not been asked.
        messages.pop()
        form.giveBack(question)
      }
      form.say(words || (answer.text || outcome === 'stopped' ? '' : 'The model gave no answer.'))
      form.end(stop)
    }
    const request = new AbortController()
    const stop = () => {
      request.abort()
      end('stopped', '')
    }
    form.begin(stop)
    const view = {
      open: () => form.say(''),
      waiting: (reason, delay) => form.wait(reason, delay),
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

  constructor(question) {
    // A screen reader waits until the answer is complete.
    this.#log.setAttribute('aria-busy', 'true')
    this.#add('user', 'You: ', question)
    this.#message = this.#add('assistant', 'Answer: ', '')
    this.#message.dataset.state = 'waiting'
    this.#text = this.#message.querySelector('.text').firstChild
    // The log begins at its end: CSS keeps that in view, unless the user scrolls away from it.
    this.#log.scrollTop = 0
  }

  get text() {
    return this.#text.data
  }

  add(words) {
    if (!this.#text.length && words) this.#message.dataset.state = 'streaming'
    // Only the new text is added to the page.
    this.#text.appendData(words)
  }

  end(state) {
    this.#message.dataset.state = state
    if (NOTES[state]) append(this.#message, 'p', 'note', NOTES[state])
    this.#log.setAttribute('aria-busy', 'false')
  }

  #add(role, label, words) {
    const message = append(byId('chat-messages'), 'div', 'message')
    message.dataset.role = role
    append(message, 'span', 'hidden', label)
    append(message, 'div', 'text', words)
    return message
  }
}
