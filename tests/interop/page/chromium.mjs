// The page in a headless Chromium. Run by `run`, from the folder where `playwright-core` is, with the path of the program `talk`, the
// browser's, the folder of the page, and a folder for the browser's data.

import { run } from '../check.mjs'
import { launch } from '../chromium.mjs'
import { basics } from './basics.mjs'
import { chat } from './chat.mjs'
import { live } from './live.mjs'
import { talking } from './talking.mjs'

const [, executablePath, , data] = process.argv.slice(2)

// Nobody clicks before the first sound.
const browser = await launch(executablePath, data, ['--autoplay-policy=no-user-gesture-required'])
try {
  await run('page', [...basics, ...chat, ...talking, ...live], browser)
} finally {
  await browser.close()
}

// A check that failed may have left connections open, for which Node would wait.
process.exit()
