// The page in any browser, as a check uses it. Only functions that have the same name in playwright-core and
// puppeteer-core are called.

import { setTimeout } from 'node:timers/promises'

import { Different } from '../check.mjs'

/** The browser's own console messages about a response that has an error status or ends early. */
const ABOUT_RESPONSES = /^Failed to load resource:/

export class View {
  /** The page's errors: those of scripts, and messages written to the console as errors. */
  errors = []
  /** Failed requests, except those that the page aborted. */
  failures = []

  /** Opens a new, empty page. */
  static async open(browser) {
    const view = new View()
    view.page = await browser.newPage()
    view.page.on('pageerror', (error) => view.errors.push(String(error)))
    view.page.on('console', (message) => message.type() === 'error' && view.errors.push(message.text()))
    view.page.on('requestfailed', (request) => {
      const why = request.failure()?.errorText ?? ''
      if (!why.includes('ABORTED')) view.failures.push(`${request.url()}: ${why}`)
    })
    return view
  }

  /** Loads the page and waits until it is ready. */
  async load(url) {
    const response = await this.page.goto(url)
    if (response.status() !== 200) throw new Different(`GET / is answered ${response.status()}`)
    await this.until('the page is ready', ({ isReady }) => isReady)
  }

  /** Returns what the page shows now. */
  async look() {
    return JSON.parse(await this.page.evaluate(look))
  }

  /** Waits until the page's content meets this condition. */
  async until(what, isSo, { seconds = 20 } = {}) {
    for (const end = Date.now() + seconds * 1000; ; await setTimeout(20)) {
      const seen = await this.look()
      // A page that is busy for longer answers too late.
      if (Date.now() > end) throw new Different(`timed out after ${seconds} s: ${what}`)
      if (isSo(seen)) return seen
    }
  }

  /** Types a message into one of the two forms, `chat` or `talk`, and sends it. */
  async send(form, text) {
    await this.page.locator(`#${form}-input`).fill(text)
    await this.page.locator(`#${form}-send`).click()
  }

  click(id) {
    return this.page.locator(`#${id}`).click()
  }

  /** Waits until the last answer of the chat is in this state, and returns the chat. */
  async answer(state, text) {
    const isSo = ({ chat }) => chat.last?.state === state && (text === undefined || chat.last.text === text)
    const shown = text === undefined ? '' : `, its text ${JSON.stringify(text.slice(0, 100))}`
    return (await this.until(`the answer of the chat is ${state}${shown}`, isSo)).chat
  }

  /** Waits until the status of one of the two forms contains these words, each a text or a regular expression. */
  says(form, ...words) {
    const isIn = (status) => (word) => (word instanceof RegExp ? word.test(status) : status.includes(word))
    return this.until(`the status of the ${form} has ${words.join(' and ')}`, (seen) =>
      words.every(isIn(seen[form].status)),
    )
  }

  /** Fails if the page had errors, except for responses that the check made fail. */
  noErrors() {
    const others = this.errors.filter((error) => !ABOUT_RESPONSES.test(error))
    if (others.length) throw new Different(`errors in the page: ${others.join('\n')}`)
  }

  /** Describes what the page shows, for a failure message. */
  async described() {
    const cut = (_, value) => (typeof value === 'string' && value.length > 300 ? `${value.slice(0, 300)}…` : value)
    const seen = await this.look().catch((error) => `nothing: ${error.message}`)
    return JSON.stringify({ ...seen, errors: this.errors, failures: this.failures }, cut, 1)
  }

  close() {
    return this.page.close()
  }
}

/** Runs in the page. Returns JSON, because WebDriver BiDi passes an object on only once. */
function look() {
  const get = (id) => document.getElementById(id)
  const text = (id) => get(id)?.textContent.trim()
  // A countdown stands after the status.
  const status = (name) => `${text(`${name}-status`)} ${text(`${name}-countdown`)}`.trim()
  const data = (element) => ({ ...element?.dataset })
  const all = (selector) => [...document.querySelectorAll(selector)]
  const isOn = (id) => get(id)?.disabled === false
  const messages = all('#chat-log .message').map((message) => ({
    ...data(message),
    text: (message.querySelector('.text') ?? message).textContent,
    isBusy: message.closest('[aria-busy]')?.getAttribute('aria-busy') === 'true',
  }))
  const sentences = all('#talk-answer .sentence').map((sentence) => ({ ...data(sentence), text: sentence.textContent }))
  const shapes = ['circle', 'square', 'triangle'].map((shape) => [shape, data(get(`shape-${shape}`))])
  return JSON.stringify({
    isReady: document.body?.dataset.ready === 'true',
    chat: {
      messages,
      last: messages.findLast(({ role }) => role === 'assistant'),
      status: status('chat'),
      canSend: isOn('chat-send'),
      canStop: isOn('chat-stop'),
    },
    talk: {
      ...data(get('talk-answer')),
      sentences,
      text: sentences.map(({ text }) => text).join(''),
      sounds: sentences.map(({ sound }) => sound),
      status: status('talk'),
      canStop: isOn('talk-stop'),
      drawing: get('talk-drawing')?.src,
      calls: all('#talk-calls li').map((call) => call.textContent.trim()),
      shapes: Object.fromEntries(shapes),
    },
    live: {
      ...data(get('live')),
      status: status('live'),
      value: text('live-value'),
      hasTryNow: get('live-try')?.hidden === false,
      marks: all('#live-chart rect').map((mark) => mark.getAttribute('class')),
    },
  })
}
