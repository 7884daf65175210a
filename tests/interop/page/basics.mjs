// Basic requirements of the page: names, the keyboard, narrow and dark screens, and no errors.

import { Different, same } from '../check.mjs'
import { visit } from './visit.mjs'

const CONTROLS = ['button', 'textbox', 'checkbox', 'link', 'image', 'img', 'combobox', 'slider', 'spinbutton', 'switch']

/** Returns the controls and images of the page as a screen reader reports them: `[role, name]`. */
async function controls(page) {
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  await session.detach()
  return nodes
    .filter(({ ignored, role }) => !ignored && CONTROLS.includes(role?.value))
    .map(({ role, name }) => [role.value, name?.value ?? ''])
}

/** Moves the focus to this element with the Tab key only. */
async function tabTo(page, id) {
  for (let steps = 0; steps < 40; steps++) {
    if ((await page.evaluate(() => document.activeElement?.id)) === id) return
    await page.keyboard.press('Tab')
  }
  throw new Different(`#${id} cannot be reached with the Tab key`)
}

export const keyboard = (browser) =>
  visit(browser, async ({ view, model }) => {
    const { page } = view
    for (const form of ['chat', 'talk']) {
      await tabTo(page, `${form}-input`)
      await page.keyboard.type('Typed by hand')
      await page.keyboard.press('Enter')
      const exchange = await model.asked()
      same('question', exchange.body.messages.at(-1).content, 'Typed by hand')
      await exchange.say('One ')
      const state = (seen) => (form === 'chat' ? seen.chat.last?.state : seen.talk.state)
      await view.until('it streams', (seen) => state(seen) === 'streaming')
      await tabTo(page, `${form}-stop`)
      await page.keyboard.press('Enter')
      await view.until('it stops', (seen) => state(seen) === 'stopped')
      await exchange.left()
    }
    same('requests', model.count, 2)
    same('errors', [...view.errors, ...view.failures], [])
    return 'asked and stopped with the keyboard only'
  })

/** The buttons with examples: each sends one question, but not during an answer, and never replaces a draft. */
export const examples = (browser) =>
  visit(browser, async ({ view, model }) => {
    const draft = view.page.locator('#chat-input')
    await draft.fill('A draft')
    const buttons = view.page.locator('[data-for=chat]')
    await buttons.nth(0).click()
    const exchange = await model.asked()
    same('question', exchange.body.messages.at(-1).content, await buttons.nth(0).textContent())
    await exchange.say('Yes')
    await view.answer('streaming', 'Yes')
    await buttons.nth(1).click()
    await exchange.done()
    await view.answer('complete', 'Yes')
    same('draft', await draft.inputValue(), 'A draft')
    same('requests', model.count, 1)
    return 'an example asks once, and keeps the draft'
  })

/** Checks a key that is held down. */
export const heldKey = (browser) =>
  visit(browser, async ({ view, model }) => {
    const { keyboard } = view.page
    for (const id of ['chat-input', 'chat-send']) {
      await view.page.locator('#chat-input').fill('Held down')
      await view.page.locator(`#${id}`).focus()
      for (let times = 0; times < 10; times++) await keyboard.down('Enter')
      await keyboard.up('Enter')
      const exchange = await model.asked()
      await exchange.say('Once.')
      await exchange.done()
      await view.answer('complete', 'Once.')
    }
    same('requests', model.count, 2)
    return 'a key that is held down asks once, and stops nothing'
  })

export const names = (browser) =>
  visit(browser, async ({ view, model }) => {
    const busy = (id) => document.getElementById(id).closest('[aria-busy]')?.getAttribute('aria-busy') ?? 'no aria-busy'
    for (const [form, id] of [
      ['chat', 'chat-log'],
      ['talk', 'talk-answer'],
    ]) {
      await view.send(form, 'Hello?')
      const exchange = await model.asked()
      await exchange.say('Hello!')
      await view.until(
        'it streams',
        (seen) => (form === 'chat' ? seen.chat.last?.state : seen.talk.state) === 'streaming',
      )
      same(`${id} while streaming`, await view.page.evaluate(busy, id), 'true')
      await exchange.done()
      await view.until('complete', (seen) => (form === 'chat' ? seen.chat.last : seen.talk).state === 'complete')
      same(`${id} at the end`, await view.page.evaluate(busy, id), 'false')
    }
    const all = await controls(view.page)
    const nameless = all.filter(([, name]) => !name.trim())
    same('controls and images without a name', nameless, [])
    const roles = await view.page.evaluate(() =>
      ['chat-log', 'chat-status', 'talk-status', 'live-status'].map((id) =>
        document.getElementById(id).getAttribute('role'),
      ),
    )
    same('roles', roles, ['log', 'status', 'status', 'status'])
    const page = await view.page.evaluate(() => [
      document.documentElement.lang,
      document.title !== '',
      document.querySelectorAll('h1').length,
    ])
    same('language, title, first heading', page, ['en', true, 1])
    same('errors', [...view.errors, ...view.failures], [])
    return `${all.length} controls and images have names`
  })

/** Runs in the page. Returns the colours of each text and of its background. */
const colours = () => {
  const numbers = (colour) => colour.match(/[\d.]+/g).map(Number)
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor)
      if (colour.length === 3 || colour[3] === 1) return colour
    }
    return [255, 255, 255]
  }
  const light = ([r, g, b]) =>
    [r, g, b]
      .map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0)
  const contrast = (element) => {
    const pair = [light(numbers(getComputedStyle(element).color)), light(behind(element))].sort((a, b) => b - a)
    return (pair[0] + 0.05) / (pair[1] + 0.05)
  }
  const hasText = (element) =>
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim())
  const seen = [...document.body.querySelectorAll('*')].filter(
    (element) =>
      hasText(element) && !element.closest('svg, script, style, :disabled') && element.getClientRects().length,
  )
  const faint = seen
    .map((element) => [element.textContent.trim().slice(0, 40), contrast(element)])
    .filter(([, ratio]) => ratio < 4.5)
  return { background: behind(document.body), faint }
}

export const screens = (browser) =>
  visit(browser, async ({ view, model }) => {
    const { page } = view
    const word = '0123456789ä'.repeat(100)
    for (const form of ['chat', 'talk']) {
      await view.send(form, word)
      const exchange = await model.asked()
      await exchange.say(`${word} `)
      await exchange.done()
    }
    await view.until('complete', ({ chat, talk }) => chat.last.state === 'complete' && talk.state === 'complete')

    const found = {}
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      found[colorScheme] = await page.evaluate(colours)
      same(`${colorScheme}: text with low contrast`, found[colorScheme].faint, [])
    }
    const [light, dark] = [found.light, found.dark].map(({ background: [r, g, b] }) => r + g + b)
    if (!(light > dark + 300)) throw new Different(`light ${found.light.background}, dark ${found.dark.background}`)

    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 640 })
      const wide = await page.evaluate(() => document.documentElement.scrollWidth)
      if (wide > width) throw new Different(`the page is ${wide} pixels wide in a window of ${width}`)
    }
    same('errors', [...view.errors, ...view.failures], [])
    return 'light and dark, and 320 pixels wide'
  })

/** What a click changes is in view: messages grow from the bottom, next to the input, and cards end in the window. */
export const layout = (browser) =>
  visit(browser, async ({ view, model }) => {
    const { page } = view
    const measure = (form) => {
      const box = (id) => document.getElementById(id).getBoundingClientRect()
      const answer = [...document.querySelectorAll(`#${form}-log .message, #${form}-log .answer`)].at(-1)
      const { bottom } = answer.getBoundingClientRect()
      return { bottom, input: box(`${form}-input`).top, card: box(form).bottom, top: box(`${form}-log`).top }
    }
    for (const [width, height] of [
      [1280, 900],
      [360, 800],
    ]) {
      await page.setViewportSize({ width, height })
      for (const form of ['chat', 'talk']) {
        await page.evaluate((id) => document.getElementById(id).scrollIntoView({ behavior: 'instant' }), form)
        await view.send(form, 'Where is the answer?')
        const exchange = await model.asked()
        await exchange.say('Here it is.')
        const text = ({ chat, talk }) => (form === 'chat' ? chat.last?.text : talk.text)
        await view.until('the answer', (seen) => text(seen) === 'Here it is.')
        const { bottom, input, card, top } = await page.evaluate(measure, form)
        if (!(bottom > top && bottom < input && input - bottom < 60 && card <= height))
          throw new Different(
            `${form}, ${width} by ${height}: the answer ends at ${bottom}, its log begins at ${top}, the input begins at ${input}, the card ends at ${card}`,
          )
        // A long answer scrolls inside its card, and its end stays in view.
        await exchange.say(' and more of it'.repeat(200))
        await exchange.done()
        await view.until('the end', ({ chat, talk }) => (form === 'chat' ? chat.last : talk).state === 'complete')
        const long = await page.evaluate(measure, form)
        same(`${form}, ${width} by ${height}: the card`, long.card, card)
        if (!(long.bottom < input)) throw new Different(`${form}, ${width} by ${height}: a long answer ends out of view`)
      }
    }
    return 'answers begin next to the input, and cards end in the window, on a laptop and on a phone'
  })

/** Before the first question, each half of the chat shows something. There are two families of fonts. */
export const full = (browser) =>
  visit(browser, async ({ view }) => {
    const { page } = view
    for (const [width, height] of [
      [1280, 900],
      [360, 800],
    ]) {
      await page.setViewportSize({ width, height })
      const empty = await page.evaluate(() => {
        const boxes = [...document.querySelectorAll('#chat :is(h2, h3, p, li, button, textarea)')]
          .map((element) => element.getBoundingClientRect())
          .filter((box) => box.height)
          .sort((a, b) => a.top - b.top)
        const end = (count) => Math.max(...boxes.slice(0, count).map(({ bottom }) => bottom))
        const gaps = boxes.slice(1).map(({ top }, at) => top - end(at + 1))
        return Math.max(...gaps) / document.getElementById('chat').getBoundingClientRect().height
      })
      if (empty > 0.25) throw new Different(`${width} by ${height}: ${empty} of the chat is empty`)
    }
    await view.click('wire-toggle')
    const fonts = await page.evaluate(() => {
      const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim()
      const hasText = ({ childNodes }) => [...childNodes].some(isText)
      const isShown = (element) => element.getClientRects().length
      const all = [...document.body.querySelectorAll('*')].filter((element) => isShown(element) && hasText(element))
      return [...new Set(all.map((element) => getComputedStyle(element).fontFamily))]
    })
    same('families of fonts', [fonts.length, fonts.filter((font) => font.includes('monospace')).length], [2, 1])
    return 'no half is empty, and there is one font for text and one for code'
  })

/** What an answer of the talk has done is in view on a phone, wherever the question was asked from. */
export const visible = (browser) =>
  visit(browser, async ({ view, model }) => {
    const { page } = view
    const [width, height] = [360, 800]
    await page.setViewportSize({ width, height })
    const example = page.locator('[data-for=talk]').first()
    // Only the lower end of the card is in view.
    await page.evaluate(() => {
      const { bottom } = document.getElementById('talk').getBoundingClientRect()
      scrollBy({ top: bottom - 250, behavior: 'instant' })
    })
    await example.click()
    const exchange = await model.asked()
    await exchange.say('All right, I know what you would like to see. And so it is done, all of it, at once.')
    const shapes = ['circle', 'square', 'triangle']
    const change = { colour: 'green', size: 50, x: 10, y: 20 }
    const calls = shapes.map((shape) => ['change_shape', JSON.stringify({ shape, ...change })])
    await exchange.call(...calls)
    await exchange.done()
    await view.until('the calls', ({ talk }) => talk.calls.length === 3 && talk.state === 'complete')
    const hidden = () => {
      const bar = document.querySelector('header').getBoundingClientRect().bottom
      const isIn = (box, { top, bottom }) => box.top >= top - 1 && box.bottom <= bottom + 1
      const visible = (element) => {
        const box = element.getBoundingClientRect()
        const around = []
        for (let at = element.parentElement; at; at = at.parentElement)
          if (getComputedStyle(at).overflowY === 'auto') around.push(at.getBoundingClientRect())
        return isIn(box, { top: bar, bottom: innerHeight }) && around.every((clip) => isIn(box, clip))
      }
      return [...document.querySelectorAll('#stage, #talk-calls li')].filter((element) => !visible(element)).length
    }
    // The page may still be scrolling.
    for (const end = Date.now() + 10_000; await page.evaluate(hidden); )
      if (Date.now() > end)
        throw new Different(`${await page.evaluate(hidden)} of the stage and three calls are not in view`)
    return 'on a phone, the stage and what was done are in view after an answer'
  })
