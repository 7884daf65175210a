// The drawer "Wire": each request of the page, and the lines of its response as they arrive. `wire.css` belongs to it.

/** How many requests are listed. Open ones are listed in any case. */
const REQUESTS = 20
/** How many lines of a response are kept. */
const LINES = 200
/** How many bytes of a line are shown. */
const LONGEST = 240
/** What the session storage calls the state of the drawer. */
const KEY = 'wire'
const LF = 10

const STATES = {
  waiting: 'no response yet',
  open: 'open',
  ended: 'ended',
  aborted: 'closed by the page',
  failed: 'connection lost',
}

/** Adds the drawer to the page. The button opens and closes it. It lists each `fetch` from now on. */
export function startWire(button) {
  const drawer = add(document.body, 'aside', 'wire')
  drawer.id = 'wire'
  drawer.setAttribute('aria-label', 'Wire')
  add(drawer, 'h2', '', 'Wire')
  add(drawer, 'p', 'wire-hint', 'Each request of this page, the newest first, and its response, line by line.')
  watchFetch(add(drawer, 'div', 'wire-list'))

  const show = (isOpen) => {
    drawer.hidden = !isOpen
    button.setAttribute('aria-expanded', isOpen)
    // The page makes room for the drawer.
    document.documentElement.toggleAttribute('data-wire', isOpen)
  }
  button.addEventListener('click', () => {
    show(drawer.hidden)
    session()?.setItem(KEY, drawer.hidden ? 'closed' : 'open')
  })
  button.setAttribute('aria-controls', drawer.id)
  button.disabled = false
  show(session()?.getItem(KEY) === 'open')
}

/** The storage of this session; `undefined` if the user allows none. */
function session() {
  try {
    return sessionStorage
  } catch {
    return undefined
  }
}

/** Replaces `fetch` by a function that also adds the request to the list. */
function watchFetch(list) {
  const { fetch } = globalThis
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const exchange = new Exchange(list, request)
    try {
      return exchange.begin(await fetch(request))
    } catch (error) {
      exchange.end('failed')
      throw error
    }
  }
}

/** A request and its response, in the list. */
class Exchange {
  #element = document.createElement('details')
  #head
  #status
  #signal

  constructor(list, { method, url, headers, signal }) {
    this.#signal = signal
    const { pathname, search, searchParams } = new URL(url)
    const summary = add(this.#element, 'summary', '')
    add(summary, 'strong', 'wire-request', `${method} ${pathname}${search}`)
    this.#head = add(summary, 'span', 'wire-head')
    this.#status = add(summary, 'span', 'wire-status')
    const id = headers.get('last-event-id') ?? searchParams.get('last_event_id')
    add(this.#element, 'p', 'wire-id', id ? `Last-Event-ID: ${id}` : 'no Last-Event-ID')
    this.#element.open = true
    this.#go('waiting')
    list.prepend(this.#element)
    if (list.children.length > REQUESTS)
      [...list.children].findLast(({ dataset }) => !['waiting', 'open'].includes(dataset.state))?.remove()
    // The page need not read the response of a request that it has aborted.
    signal.addEventListener('abort', () => this.end('aborted'))
  }

  /** Returns the response, with a body that is shown as the page reads it. */
  begin(response) {
    const { status, statusText, headers, url, redirected, body } = response
    const type = headers.get('content-type') ?? ''
    this.#head.textContent = `${status} ${type}`
    // The answer to a small request takes one line, until the user opens it.
    this.#element.open = !response.ok || /^(text\/event-stream|multipart\/)/i.test(type)
    this.#go('open')
    if (!body || status === 204) {
      this.end('ended')
      return response
    }
    const copy = new Response(this.#shown(body, new Lines(this.#element, type)), { status, statusText, headers })
    return Object.defineProperties(copy, { url: { value: url }, redirected: { value: redirected } })
  }

  /** Ends it: `ended` by the server, `aborted` by the page, or `failed`. Only the first end counts. */
  end(state) {
    // An aborted request fails, too.
    if (['waiting', 'open'].includes(this.#element.dataset.state)) this.#go(this.#signal.aborted ? 'aborted' : state)
  }

  #go(state) {
    this.#element.dataset.state = state
    this.#status.textContent = STATES[state]
  }

  /**
   * Returns a body with the same chunks. It reads a chunk when the page asks for one, and is cancelled when the page
   * cancels it. A `tee` would do neither: it stores what one of its readers has not read, and goes on for the other.
   */
  #shown(body, lines) {
    const reader = body.getReader()
    const pull = async (controller) => {
      try {
        const { done, value } = await reader.read()
        if (done) {
          this.end('ended')
          return controller.close()
        }
        lines.add(value)
        controller.enqueue(value)
      } catch (error) {
        this.end('failed')
        controller.error(error)
      }
    }
    const cancel = (reason) => {
      this.end('aborted')
      return reader.cancel(reason)
    }
    return new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
  }
}

/** The newest lines of a response. Of a part that is no text, such as a sound, only the size is shown. */
class Lines {
  #rows
  #note
  #dropped = 0
  /** What a line begins with that ends a part; `undefined` if the response is not made of parts. */
  #delimiter
  /** What the current line is in: the `head` of a part, `text`, or `bytes`. */
  #place
  /** The type of the current part. */
  #type = ''
  /** The current line: as much of its text as is shown, all of its bytes, and its row. */
  #text = ''
  #size = 0
  #row
  /** The bytes of the current part, if it is no text, and their row. */
  #bytes = 0
  #bytesRow
  #decoder = new TextDecoder('utf-8', { ignoreBOM: true })

  constructor(element, contentType) {
    const boundary = /^multipart\/.*;\s*boundary="?([^";]+)/i.exec(contentType)?.[1]
    this.#delimiter = boundary && `--${boundary}`
    this.#place = boundary ? 'head' : 'text'
    this.#note = add(element, 'p', 'wire-hint')
    const box = add(element, 'div', 'wire-lines')
    box.tabIndex = 0
    box.setAttribute('role', 'region')
    box.setAttribute('aria-label', 'Lines of the response')
    this.#rows = add(box, 'div', '')
  }

  add(bytes) {
    for (let at = 0; at < bytes.length; ) {
      const end = bytes.indexOf(LF, at) + 1
      const piece = bytes.subarray(at, end || bytes.length)
      this.#extend(piece, end > 0)
      at += piece.length
    }
  }

  /** Extends the current line. */
  #extend(bytes, isEnd) {
    const room = Math.max(LONGEST - this.#size, 0)
    this.#text += this.#decoder.decode(bytes.subarray(0, room), { stream: !isEnd })
    this.#size += bytes.length
    const isDelimiter = this.#delimiter && this.#text.startsWith(this.#delimiter)
    if (this.#place !== 'bytes' || isDelimiter) this.#show()
    else if (isEnd) this.#count()
    if (!isEnd) return
    if (this.#delimiter) this.#place = this.#next(isDelimiter, this.#text.trimEnd())
    this.#text = ''
    this.#size = 0
    this.#row = undefined
  }

  /** Returns what the line after this one is in. */
  #next(isDelimiter, line) {
    if (isDelimiter) {
      this.#type = ''
      this.#bytes = 0
      this.#bytesRow = undefined
      return 'head'
    }
    if (this.#place !== 'head') return this.#place
    this.#type = /^content-type:\s*(.*)/i.exec(line)?.[1] ?? this.#type
    if (line) return 'head'
    return /^text\/|json|xml/i.test(this.#type) ? 'text' : 'bytes'
  }

  #show() {
    this.#row ??= this.#newRow()
    // In an event stream, a CR alone also ends a line. It is shown as a symbol.
    const text = this.#text.replace(/\r?\n$/, '').replaceAll('\r', '␍')
    const more = this.#size - LONGEST
    this.#row.textContent = more > 0 ? `${text} … ${count(more)} more` : text
    this.#row.className = text.startsWith(':') ? 'wire-comment' : /^(id|event|retry):/.test(text) ? 'wire-field' : ''
  }

  #count() {
    this.#bytesRow ??= this.#newRow()
    this.#bytes += this.#size
    this.#bytesRow.className = 'wire-comment'
    this.#bytesRow.textContent = `(${count(this.#bytes)})`
  }

  #newRow() {
    const row = add(this.#rows, 'div', '')
    if (this.#rows.children.length > LINES) {
      this.#rows.firstElementChild.remove()
      this.#dropped += 1
      this.#note.textContent = `${this.#dropped} earlier lines are not kept`
    }
    return row
  }
}

const count = (bytes) => `${bytes.toLocaleString('en')} bytes`

/** Adds an element to the end of another. */
function add(parent, tag, className, text = '') {
  const element = document.createElement(tag)
  element.className = className
  element.textContent = text
  parent.append(element)
  return element
}
