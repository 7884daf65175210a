// Checks the page in a headless Chromium. Started by `run`, in the folder that contains `playwright-core`, with the
// paths of the program `page`, of the browser, of the page's folder, and of a folder for the browser's data.

import { run } from '../check.mjs'
import { launch } from '../chromium.mjs'
import * as basics from './basics.mjs'
import * as calls from './calls.mjs'
import * as chat from './chat.mjs'
import * as early from './early.mjs'
import * as ends from './ends.mjs'
import * as live from './live.mjs'
import * as talking from './talking.mjs'
import * as wire from './wire.mjs'

const [, executablePath, , data] = process.argv.slice(2)

const checks = [
  basics.names,
  basics.keyboard,
  basics.screens,
  basics.layout,
  basics.full,
  basics.visible,
  basics.examples,
  basics.heldKey,
  chat.firstWord,
  chat.everyText,
  chat.everyCut,
  chat.refused,
  chat.withoutWords,
  calls.calls,
  wire.lines,
  wire.bounded,
  wire.cancelled,
  wire.room,
  [ends.complete, ends.dropped, ends.stopped, early.news, early.askedToWait, early.tryNow],
  // These checks mostly wait.
  [chat.busy, chat.alwaysBusy, chat.cutOff, chat.stopped, live.gap, live.restarted],
  [talking.whole, talking.cutOff, talking.stopped, talking.stoppedLate, talking.odd],
]

// No click precedes the first sound.
const browser = await launch(executablePath, data, ['--autoplay-policy=no-user-gesture-required'])
try {
  await run('page', checks, browser)
} finally {
  await browser.close()
}

// A failed check may leave connections open, and Node would wait for them.
process.exit()
