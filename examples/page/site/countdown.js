// A delay that is counted down, for people who wait.

/** The time until the next attempt, in an element. */
export class Countdown {
  #element
  #timer

  constructor(element) {
    this.#element = element
  }

  /** Starts again, with this delay in milliseconds. */
  start(delay) {
    this.stop()
    const end = performance.now() + delay
    const show = () => {
      const seconds = Math.ceil((end - performance.now()) / 1000)
      this.#element.textContent = seconds > 0 ? `Trying again in ${seconds}\u00a0s.` : 'Trying again now.'
    }
    show()
    this.#timer = setInterval(show, 200)
  }

  stop() {
    clearInterval(this.#timer)
    this.#element.textContent = ''
  }
}
