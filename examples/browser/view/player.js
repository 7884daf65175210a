// What plays the sound of an answer.

/** How many sounds may wait to be played. With more, the answer is not read on. */
const MOST_WAITING = 32
/** How far ahead a sound is scheduled, in seconds, so that it starts on time. */
const LEAD = 0.05

/** The page's loudspeaker. */
let context

/** Plays the sounds of one answer, each exactly at the end of the one before. */
export class Player {
  /** Settled once the last sound that was added is scheduled, and the one before it has ended. */
  #handedOver = Promise.resolve()
  /** The same for each of the sounds that wait. */
  #waiting = []
  /** Settled at the end of the sound that was handed over last. */
  #ended = Promise.resolve()
  /** When that is, by the clock of the context. */
  #end = 0
  /** What stops the sounds that are handed over. */
  #stops = new Set()
  #sentences = new Set()
  #isStopped = false

  /** A player, if the browser has sound. It allows that only after a click or a key, so call this while one is handled. */
  static switchOn() {
    try {
      context ??= new AudioContext()
      // The sounds wait until it is on.
      context.resume()
      return new Player()
    } catch {
      return undefined
    }
  }

  /** Adds the sound of a sentence: a file. Wait for what it returns before the next one. */
  add(sentence, file) {
    if (this.#isStopped) return
    // If the browser plays nothing, the text need not wait for it, and no more sounds are kept.
    if (this.#waiting.length >= MOST_WAITING && context.state !== 'running') return
    this.#sentences.add(sentence)
    this.#show(sentence, 'queued')
    this.#handedOver = this.#handedOver.then(() => this.#handOver(sentence, file))
    this.#waiting.push(this.#handedOver)
    return this.#waiting.length > MOST_WAITING ? this.#waiting.shift() : undefined
  }

  /** Waits until all that was added is played, or stopped. */
  async finish() {
    await this.#handedOver
    await this.#ended
  }

  /** Stops the sounds. What has not been played will not be. */
  stop() {
    this.#isStopped = true
    for (const stop of this.#stops) stop()
    for (const { dataset } of this.#sentences) {
      if (dataset.sound === 'queued' || dataset.sound === 'playing') dataset.sound = 'none'
    }
  }

  /** Waits for the end of the sound before: so at most two are decoded at a time. A decoded sound takes much memory. */
  async #handOver(sentence, file) {
    if (this.#isStopped) return
    const buffer = await context.decodeAudioData(file).catch(() => undefined)
    if (this.#isStopped) return
    if (!buffer) return this.#show(sentence, 'failed')
    const before = this.#ended
    this.#ended = this.#begin(buffer).then(() => this.#show(sentence, 'played'))
    await before
    this.#show(sentence, 'playing')
  }

  /** Settled at its end, or when it is stopped. */
  #begin(buffer) {
    const begin = this.#end > context.currentTime ? this.#end : context.currentTime + LEAD
    this.#end = begin + buffer.duration
    const node = context.createBufferSource()
    node.buffer = buffer
    node.connect(context.destination)
    node.start(begin)
    return new Promise((resolve) => {
      const stop = () => {
        this.#stops.delete(stop)
        node.onended = null
        node.stop()
        node.disconnect()
        resolve()
      }
      this.#stops.add(stop)
      node.onended = stop
    })
  }

  #show(sentence, sound) {
    if (!this.#isStopped) sentence.dataset.sound = sound
  }
}
