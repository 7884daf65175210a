// The live feed: its state, and the curve of the last readings.

import { byId } from './dom.js'

/** The number of readings on the curve. */
const CURVE_LENGTH = 60
/** The size of the chart, as in its `viewBox`, and the height of the margins above and below the curve. */
const CHART = { width: 590, height: 100, margin: 8 }

/** Starts the feed. `live(lastId, view, signal)` follows it from this ID on, and calls the view with the readings. */
export function startLive(live) {
  const [element, status, toggle] = ['live', 'live-status', 'live-toggle'].map(byId)
  const { dataset } = element
  let readings = []
  let lastId = ''
  let request
  const connection = (state, words) => {
    dataset.state = state
    status.textContent = words
  }
  const end = (words) => {
    request = undefined
    toggle.textContent = 'Start'
    connection('stopped', words)
  }
  const reading = (id, json) => {
    lastId = id
    const reading = parsed(json)
    if (!reading) return
    dataset.firstId ??= id
    dataset.lastId = id
    dataset.count++
    readings = [...readings, reading].filter(({ n }) => n <= reading.n && n > reading.n - CURVE_LENGTH)
    byId('live-value').textContent = reading.value.toFixed(2)
    drawCurve(readings)
  }
  const gap = () => {
    dataset.gaps++
    status.textContent = 'Connected. Some readings are missing.'
  }
  const begin = () => {
    toggle.textContent = 'Stop'
    connection('connecting', 'Connecting.')
    request = new AbortController()
    live(lastId, { connection, reading, gap, end }, request.signal)
  }
  toggle.addEventListener('click', () => {
    if (!request) return begin()
    request.abort()
    end('Stopped. Start continues after the last reading.')
  })
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

/** Draws the curve of the readings. The last one is on the right. */
function drawCurve(readings) {
  const values = readings.map(({ value }) => value)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const last = readings.at(-1).n
  const points = readings.map(({ n, value }) => {
    // If all values are equal, the range is zero.
    const height = ((value - low) / (high - low || 1)) * (CHART.height - 2 * CHART.margin)
    return [CHART.width * (1 - (last - n) / (CURVE_LENGTH - 1)), CHART.height - CHART.margin - height]
  })
  const corners = [points.at(-1), points[0]].map(([x]) => [x, CHART.height])
  byId('live-curve').setAttribute('points', points)
  // A line of length zero with round ends is a dot.
  byId('live-dot').setAttribute('points', [points.at(-1), points.at(-1)])
  byId('live-area').setAttribute('points', [...points, ...corners])
  const words = `Curve of the last ${points.length} readings, between ${low.toFixed(2)} and ${high.toFixed(2)}`
  byId('live-chart').setAttribute('aria-label', words)
}
