// Measures two builds of the same benchmark against each other, in Node and in a page.

// Of each corpus.
const MEGABYTES = 1.048576
const MILLISECONDS = 15

/** Returns the milliseconds of the fastest pass of a turn. */
function turn({ pass }, prepared) {
  let best = Infinity
  for (let left = MILLISECONDS; left > 0; ) {
    const start = performance.now()
    if (!pass(prepared)) throw new Error('wrong number of events')
    const time = performance.now() - start
    best = Math.min(best, time)
    left -= time
  }
  return best
}

/** Returns the name of a row, and '' after the last one. */
function name({ letter }, row) {
  let name = ''
  for (let byte; (byte = letter(row, name.length)) !== 0; ) name += String.fromCharCode(byte)
  return name
}

/** Returns the lines of a table: the speed of `now` divided by that of `first`, for each pair of programs. */
export async function measure(builds, rounds, load) {
  const pairs = []
  for (const build of builds) {
    const program = async (version) => WebAssembly.instantiate(await load(`${version}-${build}.wasm`))
    pairs.push([await program('first'), await program('now')].map(({ instance }) => instance.exports))
  }
  const lines = [`| | ${builds.join(' | ')} |`, `|---|${builds.map(() => '---:|').join('')}`]
  for (let row = 0, label; (label = name(pairs[0][1], row)) !== ''; row += 1) {
    const ratios = pairs.map((pair) => {
      const prepared = pair.map(({ prepare }) => prepare(row))
      const best = [Infinity, Infinity]
      for (let round = 0; round < rounds; round += 1)
        pair.forEach((program, i) => (best[i] = Math.min(best[i], turn(program, prepared[i]))))
      return `${(best[0] / best[1]).toFixed(2)} (${(MEGABYTES / best[1] * 1000).toFixed(0)} MB/s)`
    })
    lines.push(`| ${label} | ${ratios.join(' | ')} |`)
  }
  return lines
}
