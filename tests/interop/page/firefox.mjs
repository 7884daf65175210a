// Checks the page in a headless Firefox, by WebDriver BiDi. Started by `run`, in the folder that contains
// `puppeteer-core`, with the paths of the program `page`, of the browser, and of the page's folder.

import { launch } from 'puppeteer-core'

import { run } from '../check.mjs'
import * as chat from './chat.mjs'
import * as live from './live.mjs'

const [, executablePath] = process.argv.slice(2)

const checks = [
  chat.firstWord,
  chat.everyText,
  chat.everyCut,
  chat.refused,
  // These checks mostly wait.
  [chat.busy, chat.cutOff, chat.stopped, live.gap, live.restarted],
]

const browser = await launch({ browser: 'firefox', executablePath, headless: true })
try {
  await run('page in Firefox', checks, browser)
} finally {
  await browser.close()
}

// A failed check may leave connections open, and Node would wait for them.
process.exit()
