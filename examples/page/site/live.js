// The live feed: its state, and its connection.

import { Chart } from './chart.js'
import { Countdown } from './countdown.js'
import { byId } from './dom.js'

/** Starts the feed. `live(lastId, view, signal)` follows it from this ID on, and calls the view with the readings. */
export function startLive(live) {
  const [element, status, toggle, tryNow] = ['live', 'live-status', 'live-toggle', 'live-try'].map(byId)
  const { dataset } = element
  const countdown = new Countdown(byId('live-countdown'))
  const chart = new Chart(byId('live-chart'))
  let lastId = ''
  let request
  let feed
  const show = (state, words) => {
    countdown.stop()
    dataset.state = state
    // A reason that stays the same is not announced again.
    if (status.textContent !== words) status.textContent = words
    // A hidden button loses the focus.
    if (state !== 'waiting' && document.activeElement === tryNow) toggle.focus()
    tryNow.hidden = state !== 'waiting'
  }
  const view = {
    open: () => {
      chart.back()
      show('open', 'Connected.')
    },
    waiting: (reason, delay) => {
      chart.leave()
      show('waiting', reason)
      countdown.start(delay)
    },
    reading: (id, json) => {
      lastId = id
      const reading = parsed(json)
      if (!reading) return
      dataset.firstId ??= id
      dataset.count++
      if (dataset.lastId && reading.n !== Number(dataset.lastId) + 1) {
        dataset.gaps++
        status.textContent = 'Connected. Some readings are missing.'
      }
      dataset.lastId = id
      byId('live-value').textContent = reading.value.toFixed(1)
      chart.add(reading)
    },
    end: (words) => {
      request = undefined
      chart.back()
      toggle.textContent = 'Start'
      show('stopped', words)
    },
  }
  const begin = () => {
    toggle.textContent = 'Stop'
    show('connecting', 'Connecting.')
    request = new AbortController()
    feed = live(lastId, view, request.signal)
  }
  toggle.addEventListener('click', () => {
    if (!request) return begin()
    request.abort()
    view.end('Stopped. Start continues after the last reading.')
  })
  tryNow.addEventListener('click', () => feed.try_now())
  toggle.disabled = false
  begin()
}

/** Parses a reading, `{"n":..,"value":..}`; `undefined` if the JSON is something else. */
function parsed(json) {
  try {
    const { n, value } = JSON.parse(json)
    return typeof n === 'number' && typeof value === 'number' ? { n, value } : undefined
  } catch {
    return undefined
  }
}
