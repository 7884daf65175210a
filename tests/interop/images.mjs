// Shows the images of a multipart stream in an `<img>` of a headless Chromium. Started by a test of
// tests/http/tests/multipart with the browser's path, a folder for its data, the server's URL, and the images'
// widths. Writes each image's width and colour as JSON.

import { launch } from './chromium.mjs'

const [executablePath, data, server, ...widths] = process.argv.slice(2)

/** Runs in the page. Waits for an image of each width, then tells the server to continue. */
const watch = async (widths) => {
  const image = new Image()
  const failure = new Promise((_, reject) => {
    image.onerror = () => reject(new Error('the image is broken'))
    setTimeout(() => reject(new Error(`timed out after 20 s; width of the image: ${image.naturalWidth} pixels`)), 20_000)
  })
  image.src = '/stream'
  document.body.append(image)
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const shown = []
  for (const width of widths) {
    while (image.naturalWidth < width) await Promise.race([failure, new Promise((resolve) => setTimeout(resolve, 5))])
    canvas.drawImage(image, 0, 0)
    shown.push([image.naturalWidth, [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)])
    await fetch('/next', { method: 'POST' })
  }
  return shown
}

const context = await launch(executablePath, data)
try {
  const page = await context.newPage()
  await page.goto(server)
  console.log(JSON.stringify(await page.evaluate(watch, widths.map(Number))))
} finally {
  await context.close()
}

// The browser may have left connections open, and Node would wait for them.
process.exit()
