// Plays the sound of an answer.

/** The number of sounds that may wait to be played. If more are waiting, reading the answer pauses. */
const MOST_WAITING = 32
/** How far ahead a sound is scheduled, in seconds, so that it starts on time. */
const LEAD = 0.05

/** The audio context of the page. */
let context

/** Plays the sounds of one answer. Each starts exactly at the end of the previous one. */
export class Player {
  /** Settles when the sound that was added last is scheduled, and the one before it has ended. */
  #handedOver = Promise.resolve()
  /** The same promise for each sound that waits. */
  #waiting = []
  /** Settles at the end of the sound that was scheduled last. */
  #ended = Promise.resolve()
  /** The time of that end, by the clock of the context. */
  #end = 0
  /** Functions that stop the scheduled sounds. */
  #stops = new Set()
  #sentences = new Set()
  #isStopped = false

  /**
   * Returns a player; `undefined` if the browser has no sound. Browsers allow sound only after a click or a key press,
   * so call this in the handler of such an event.
   */
  static switchOn() {
    try {
      context ??= new AudioContext()
      // The sounds wait until the context is running.
      context.resume()
      return new Player()
    } catch {
      return undefined
    }
  }

  /** Adds the sound file of a sentence. If it returns a promise, wait for it before adding the next sound. */
  add(sentence, file) {
    if (this.#isStopped) return
    // If the browser plays no sound, the text does not wait for it, and no more sounds are stored.
    if (this.#waiting.length >= MOST_WAITING && context.state !== 'running') return
    this.#sentences.add(sentence)
    this.#show(sentence, 'queued')
    this.#handedOver = this.#handedOver.then(() => this.#handOver(sentence, file))
    this.#waiting.push(this.#handedOver)
    return this.#waiting.length > MOST_WAITING ? this.#waiting.shift() : undefined
  }

  /** Waits until all added sounds have been played or stopped. */
  async finish() {
    await this.#handedOver
    await this.#ended
  }

  /** Stops the current sound and discards the waiting ones. */
  stop() {
    this.#isStopped = true
    for (const stop of this.#stops) stop()
    for (const { dataset } of this.#sentences) {
      if (dataset.sound === 'queued' || dataset.sound === 'playing') dataset.sound = 'none'
    }
  }

  /**
   * Decodes and schedules a sound, and waits for the end of the previous one. So at most two sounds are decoded at a
   * time, because a decoded sound needs much memory.
   */
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

  /** Schedules a sound. The promise settles at its end, or when it is stopped. */
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
