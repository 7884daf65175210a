// The program `page` as a child process.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'

import { Different } from '../check.mjs'

const [program] = process.argv.slice(2)
const { OPENAI_API_KEY, ...env } = process.env

const running = new Set()
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')))
process.on('SIGTERM', () => process.exit(143))

export class Server {
  #arguments
  #child
  /** What it has written to standard error. */
  log = ''

  /** Starts it with these arguments and `--listen`. */
  static async start(...more) {
    const server = new Server()
    server.#arguments = more
    await server.#listen('127.0.0.1:0')
    return server
  }

  /** Starts it with this model. */
  static with(model) {
    return Server.start('--tone', '--model-url', model.url, '--model', 'm')
  }

  /** Kills it, like a crash. */
  async kill() {
    this.#child.kill('SIGKILL')
    await once(this.#child, 'close')
    running.delete(this.#child)
  }

  /** Restarts it on the same port. */
  restart() {
    return this.#listen(new URL(this.url).host)
  }

  /** Stops it. Fails if it has exited or panicked before. */
  async stop() {
    const { exitCode, signalCode } = this.#child
    if (exitCode === null && signalCode === null) await this.kill()
    if (this.log.includes('panicked') || exitCode !== null)
      throw new Different(`the server has exited or panicked: ${this.log}`)
  }

  async #listen(address) {
    const child = spawn(program, ['--listen', address, ...this.#arguments], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    running.add(child)
    child.stderr.on('data', (data) => (this.log += data))
    const lines = createInterface(child.stdout)
    const line = await Promise.race([
      once(lines, 'line').then(([line]) => line),
      once(child, 'close').then(() => 'none: it has exited'),
      setTimeout(20_000, 'none in 20 s', { ref: false }),
    ])
    const url = /^listening on (http:\/\/127\.0\.0\.1:\d+\/)$/.exec(line)?.[1]
    if (!url) throw new Different(`unexpected first line of the server: ${line}; standard error: ${this.log}`)
    this.url = url
  }
}
