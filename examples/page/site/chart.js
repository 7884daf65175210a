// The curve of the last minute, with its axes.

/** The time that the chart shows, in seconds. */
const SECONDS = 60
/** The room around the curve, for the labels. */
const ROOM = { left: 34, right: 10, top: 22, bottom: 22 }

/** A chart of readings, one for each second since 1970. */
export class Chart {
  #svg
  #readings = []
  /** When the last reading came, by the clock of the page. */
  #at = 0
  /** The times without a server: `{ from, to }`, in seconds since 1970. `to` is missing if it is still away. */
  #away = []
  #timer

  constructor(svg) {
    this.#svg = svg
    new ResizeObserver(() => this.#draw()).observe(svg)
  }

  add(reading) {
    this.#readings = [...this.#readings, reading].filter(({ n }) => n <= reading.n && n >= reading.n - SECONDS)
    this.#at = performance.now()
    this.#draw()
  }

  /** Marks the time from now on: the server is away. */
  leave() {
    if (this.#timer || !this.#readings.length) return
    this.#away.push({ from: this.#readings.at(-1).n })
    this.#timer = setInterval(() => this.#draw(), 1000)
    this.#draw()
  }

  /** Ends the mark. */
  back() {
    if (!this.#timer) return
    this.#away.at(-1).to = this.#now()
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#draw()
  }

  /** The time at the right edge, in seconds since 1970. It goes on while the server is away. */
  #now() {
    const { n } = this.#readings.at(-1)
    return this.#timer ? n + Math.floor((performance.now() - this.#at) / 1000) : n
  }

  #draw() {
    const { clientWidth: width, clientHeight: height } = this.#svg
    if (!this.#readings.length || !width) return
    const now = this.#now()
    const start = now - SECONDS
    const [right, bottom] = [width - ROOM.right, height - ROOM.bottom]
    const x = (n) => ROOM.left + (Math.max(n - start, 0) / SECONDS) * (right - ROOM.left)
    const y = (value) => bottom - (value / 100) * (bottom - ROOM.top)

    const children = [node('text', { x: 0, y: 12, class: 'unit' }, 'km/h')]
    for (const value of [0, 50, 100]) {
      children.push(node('path', { class: 'grid', d: `M${ROOM.left} ${y(value)}H${right}` }))
      children.push(node('text', { x: ROOM.left - 6, y: y(value) + 4, class: 'end' }, value))
    }
    const step = right - ROOM.left < 380 ? 30 : 15
    for (let n = Math.ceil(start / step) * step; n <= now; n += step) {
      const time = new Date(n * 1000).toLocaleTimeString('en-GB')
      children.push(node('path', { class: 'grid', d: `M${x(n)} ${bottom}v5` }))
      // A label at the edge would be cut off.
      if (x(n) > ROOM.left + 26 && x(n) < right - 20)
        children.push(node('text', { x: x(n), y: height - 3, class: 'middle' }, time))
    }

    this.#away = this.#away.filter(({ to = now }) => to > start)
    const marks = this.#away.map(({ from, to = now }) => ['away', 'server away', from, to])
    const lines = unbroken(this.#readings.filter(({ n }) => n >= start))
    for (const [at, line] of lines.entries())
      if (at) marks.push(['missing', 'missing', lines[at - 1].at(-1).n, line[0].n])
    for (const [name, words, from, to] of marks) {
      const [left, size] = [x(from), x(to) - x(from)]
      children.push(node('rect', { class: name, x: left, y: ROOM.top, width: size, height: bottom - ROOM.top }))
      // The label is above the curve, and stays inside the chart.
      const middle = Math.min(Math.max(left + size / 2, ROOM.left + 40), right - 40)
      children.push(node('text', { x: middle, y: 14, class: `middle ${name}` }, words))
    }

    for (const line of lines) {
      const points = line.map(({ n, value }) => `${x(n)},${y(value)}`)
      const corners = [`${x(line.at(-1).n)},${bottom}`, `${x(line[0].n)},${bottom}`]
      children.push(node('polygon', { class: 'area', points: [...points, ...corners].join(' ') }))
      children.push(node('polyline', { class: 'curve', points: points.join(' ') }))
    }
    const last = this.#readings.at(-1)
    children.push(node('circle', { class: 'dot', cx: x(last.n), cy: y(last.value), r: 5 }))
    this.#svg.replaceChildren(...children)
    this.#describe()
  }

  /** Updates the text alternative. */
  #describe() {
    const values = this.#readings.map(({ value }) => value)
    const range = `between ${Math.min(...values).toFixed(1)} and ${Math.max(...values).toFixed(1)} km/h`
    const away = this.#away.length ? `; the server was away ${this.#away.length} times` : ''
    this.#svg.setAttribute('aria-label', `Curve of the last ${values.length} readings, ${range}${away}`)
  }
}

/** Splits readings where some are missing. */
function unbroken(readings) {
  const lines = []
  for (const reading of readings) {
    if (lines.at(-1)?.at(-1).n === reading.n - 1) lines.at(-1).push(reading)
    else lines.push([reading])
  }
  return lines
}

function node(tag, attributes, text = '') {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(text)
  return element
}
