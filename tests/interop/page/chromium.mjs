// The page in a headless Chromium. Run by `run`, from the folder where `playwright-core` is, with the path of the
// program `talk`, the browser's, the folder of the page, and a folder for the browser's data.

import { run } from '../check.mjs'
import { launch } from '../chromium.mjs'
import * as basics from './basics.mjs'
import * as calls from './calls.mjs'
import * as chat from './chat.mjs'
import * as live from './live.mjs'
import * as talking from './talking.mjs'

const [, executablePath, , data] = process.argv.slice(2)

const checks = [
  basics.notBuilt,
  basics.names,
  basics.keyboard,
  basics.screens,
  basics.examples,
  basics.heldKey,
  chat.firstWord,
  chat.everyText,
  chat.everyCut,
  chat.refused,
  calls.calls,
  // These wait most of their time.
  [chat.busy, chat.alwaysBusy, chat.cutOff, chat.stopped, live.gap, live.restarted],
  [talking.whole, talking.cutOff, talking.stopped, talking.stoppedLate, talking.odd],
]

// Nobody clicks before the first sound.
const browser = await launch(executablePath, data, ['--autoplay-policy=no-user-gesture-required'])
try {
  await run('page', checks, browser)
} finally {
  await browser.close()
}

// A check that failed may have left connections open, for which Node would wait.
process.exit()
