// The start of a check of the page: a server, and the page that it serves.

import { Model } from './model.mjs'
import { Server } from './server.mjs'
import { Site } from './site.mjs'
import { View } from './view.mjs'

/**
 * Runs a check with its own server and model, and returns its line. It also fails if the page had an error, if
 * the model got a request that the check did not answer, or if the server has exited. A failure message includes
 * what the page showed.
 */
export async function visit(browser, act) {
  const model = await Model.start()
  const server = await Server.with(model)
  try {
    return await viewed(browser, server.url, async (view) => {
      const line = await act({ view, server, model })
      model.sameCount()
      return line
    })
  } catch (error) {
    if (server.log) error.message += `\nThe server's log:\n${server.log}`
    throw error
  } finally {
    await server.stop()
    model.close()
  }
}

/** Runs a check with a site instead, whose responses the check defines. `prepare` gets the page before it is loaded. */
export async function visitSite(browser, folder, answers, act, prepare) {
  const site = await Site.start(folder, answers)
  try {
    return await viewed(browser, site.url, (view) => act({ view, site }), prepare)
  } finally {
    site.close()
  }
}

async function viewed(browser, url, act, prepare) {
  const view = await View.open(browser)
  try {
    await prepare?.(view.page)
    await view.load(url)
    const line = await act(view)
    view.noErrors()
    return line
  } catch (error) {
    error.message += `\nThe page shows ${await view.described()}`
    throw error
  } finally {
    await view.close()
  }
}
