// The page in a headless Firefox, by WebDriver BiDi. Run by `run`, from the folder where `puppeteer-core` is, with the
// path of the program `talk`, the browser's, and the folder of the page.

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
  // These wait most of their time.
  [chat.busy, chat.cutOff, chat.stopped, live.gap, live.restarted],
]

const browser = await launch({ browser: 'firefox', executablePath, headless: true })
try {
  await run('page in Firefox', checks, browser)
} finally {
  await browser.close()
}

// A check that failed may have left connections open, for which Node would wait.
process.exit()
