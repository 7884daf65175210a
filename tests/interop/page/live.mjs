// Checks the live feed: no reading is missing or duplicated, even if the server is killed and restarted.

import { setTimeout } from 'node:timers/promises'

import { Different, same } from '../check.mjs'
import { visit, visitSite } from './visit.mjs'

const [, , , , folder] = process.argv

/** Runs in the page. Records the states. */
function watch() {
  const live = document.getElementById('live')
  globalThis.states = [live.dataset.state]
  new MutationObserver((records) => {
    for (const at of records.keys()) globalThis.states.push(records[at + 1]?.oldValue ?? live.dataset.state)
  }).observe(live, { attributeFilter: ['data-state'], attributeOldValue: true })
}

const last = ({ live }) => Number(live.lastId)

function whole(what, { live }) {
  const [first, last, count] = [live.firstId, live.lastId, live.count].map(Number)
  same(`${what}: readings, gaps`, [count, live.gaps], [last - first + 1, '0'])
}

export const restarted = (browser) =>
  visit(browser, async ({ view, server }) => {
    await view.page.evaluate(watch)
    const before = await view.until('the curve is shown', ({ live }) => live.state === 'open' && Number(live.count) >= 61)
    whole('before', before)
    same('value', /\d/.test(before.live.value), true)
    await server.kill()
    const without = await view.until(
      'the page shows that it waits',
      ({ live }) => live.state === 'waiting' && /\w+ \w+/.test(live.status),
    )
    await setTimeout(3000)
    const away = await view.look()
    whole('without a server', away)
    same('marks, button', [away.live.marks, away.live.hasTryNow], [['away'], true])
    await server.restart()
    const killed = last(without)
    const after = await view.until('the feed continues', (seen) => seen.live.state === 'open' && last(seen) >= killed + 4)
    whole('after', after)
    same('first', after.live.firstId, before.live.firstId)
    same('marks, button', [after.live.marks, after.live.hasTryNow], [['away'], false])
    const states = await view.page.evaluate(() => globalThis.states)
    if (!states.includes('waiting')) throw new Different(`states: ${states}`)

    await view.click('live-toggle')
    const stopped = await view.until('it stops', ({ live }) => live.state === 'stopped')
    await setTimeout(2500)
    same('stopped', last(await view.look()), last(stopped))
    await view.click('live-toggle')
    const again = await view.until(
      'the feed continues',
      (seen) => seen.live.state === 'open' && last(seen) >= last(stopped) + 3,
    )
    whole('stopped and started', again)
    same('first', again.live.firstId, before.live.firstId)
    return `killed and started again, stopped and started: ${again.live.count} readings, none missing or duplicated`
  })

/** Checks a feed that is started while the server is down, for longer than a client's first attempts take. */
export const away = (browser) =>
  visit(browser, async ({ view, server }) => {
    await view.until('the curve is shown', ({ live }) => live.state === 'open' && Number(live.count) >= 61)
    await view.click('live-toggle')
    const stopped = await view.until('it stops', ({ live }) => live.state === 'stopped')
    await server.kill()
    await view.click('live-toggle')
    await setTimeout(25_000)
    same('state', (await view.look()).live.state, 'waiting')
    await server.restart()
    const after = await view.until('the feed continues', (seen) => seen.live.state === 'open' && last(seen) > last(stopped))
    whole('after', after)
    return 'started while the server is down for 25 s'
  })

/** Checks a server that has already dropped a part of what was missed. */
export const gap = (browser) => {
  const asked = []
  const reading = (n) => `id: ${n}\nevent: reading\ndata: ${JSON.stringify({ n, value: n % 7 })}\n\n`
  const feed = (request, response) => {
    asked.push(request.headers['last-event-id'] ?? null)
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    if (asked.length === 1) return response.end(`retry: 100\n\n${reading(100)}${reading(101)}`)
    response.write(`event: gap\ndata: {"from":102,"to":109}\n\n${reading(110)}${reading(111)}`)
  }
  return visitSite(browser, folder, { '/live': feed }, async ({ view }) => {
    const { live } = await view.until('the feed continues', (seen) => seen.live.state === 'open' && last(seen) === 111)
    same('first, count, gaps', [live.firstId, live.count, live.gaps], ['100', '4', '1'])
    same('marks', live.marks.includes('missing'), true)
    same('last event IDs of the requests', asked, [null, '101'])
    return 'a gap that the server reports is counted'
  })
}
