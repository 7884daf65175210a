// A headless Chromium without background network requests.

import { chromium } from 'playwright-core'

/** Starts a browser with this data folder and these arguments. The caller closes it. */
export const launch = (executablePath, data, more = []) =>
  chromium.launchPersistentContext(data, {
    executablePath,
    headless: true,
    timeout: 30_000,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  })
