// The images of a multipart stream, as an `<img>` of a headless Chromium shows them. Run by a test of tests/http/tests/multipart with the
// browser's path, a folder for its data, the server's URL, and the images' widths. Writes each image's width and colour as JSON.

import { launch } from './chromium.mjs'

const [executablePath, data, server, ...widths] = process.argv.slice(2)

/** In the page: waits for an image of each width, and then has the server go on. */
const watch = async (widths) => {
  const image = new Image()
  const failure = new Promise((_, reject) => {
    image.onerror = () => reject(new Error('the image is broken'))
    setTimeout(() => reject(new Error(`shown after 20 s: ${image.naturalWidth} pixels`)), 20_000)
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

// Connections that the browser has left open are nothing to wait for.
process.exit()
