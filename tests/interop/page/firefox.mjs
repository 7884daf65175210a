// The page in a headless Firefox, by WebDriver BiDi. Run by `run`, from the folder where `puppeteer-core` is, with the path of the program
// `talk` and the browser's.

import { launch } from 'puppeteer-core'

import { run } from '../check.mjs'
import { everyCut, everyText, firstWord, busy, cutOff, stopped } from './chat.mjs'
import { live } from './live.mjs'

const [, executablePath] = process.argv.slice(2)

const browser = await launch({ browser: 'firefox', executablePath, headless: true })
try {
  await run('page in Firefox', [firstWord, everyText, everyCut, busy, cutOff, stopped, ...live], browser)
} finally {
  await browser.close()
}

// A check that failed may have left connections open, for which Node would wait.
process.exit()
