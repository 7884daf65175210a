// A headless Chromium that asks nothing of the network by itself.

import { chromium } from 'playwright-core'

/** A browser with these data and arguments. The caller closes it. */
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
