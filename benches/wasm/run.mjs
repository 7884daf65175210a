// Measures the programs of a folder in this Node, or in the Chromium whose path is the third argument.

import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'

import { measure } from './measure.mjs'

const [folder, rounds, chromium] = process.argv.slice(2)
const BUILDS = ['z', 'z-simd128', '3', '3-simd128']

const PAGE = `<!doctype html><script type="module">
import { measure } from './measure.mjs'
const load = async (name) => (await fetch(name)).arrayBuffer()
const lines = await measure(${JSON.stringify(BUILDS)}, ${rounds}, load).catch((error) => ['FAILED: ' + error])
await fetch('/lines', { method: 'POST', body: lines.join('\\n') })
</script>`

/** Serves the page to a headless browser, and returns what it posts. */
async function inChromium() {
  let end
  const posted = new Promise((resolve) => (end = resolve))
  const server = createServer(async (request, response) => {
    const name = request.url.slice(1)
    // In an isolated page, the clock has 5 microseconds instead of 100.
    response.setHeader('cross-origin-opener-policy', 'same-origin')
    response.setHeader('cross-origin-embedder-policy', 'require-corp')
    if (request.method === 'POST') end(Buffer.concat(await request.toArray()).toString())
    if (name.endsWith('.mjs')) {
      response.setHeader('content-type', 'text/javascript')
      response.end(await readFile(new URL(name, import.meta.url)))
    } else if (name.endsWith('.wasm')) response.end(await readFile(`${folder}/${name}`))
    else response.setHeader('content-type', 'text/html').end(PAGE)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${server.address().port}/`
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']
  flags.push('--js-flags=--no-liftoff')
  const browser = spawn(chromium, [...flags, `--user-data-dir=${folder}/chromium`, address], { stdio: 'ignore' })
  browser.on('exit', () => end('FAILED: Chromium has exited'))
  const lines = await posted
  browser.kill()
  server.close()
  return lines
}

const load = (name) => readFile(`${folder}/${name}`)
console.log(chromium ? await inChromium() : (await measure(BUILDS, rounds, load)).join('\n'))
process.exit()
