// Measures two builds of the same benchmark against each other, in Node and in a page.

// The numbers are those of `NAMES` and `Cut::ALL` in ../corpora.rs.
const CORPORA = { openai: 0, anthropic: 2, ticks: 3, tiny: 4 }
const CUTS = ['events', '64', '1460', '16384']
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

/** Returns the lines of a table: the speed of `now` divided by that of `first`, for each pair of programs. */
export async function measure(builds, rounds, load) {
  const pairs = []
  for (const build of builds) {
    const program = async (version) => WebAssembly.instantiate(await load(`${version}-${build}.wasm`))
    pairs.push([await program('first'), await program('now')].map(({ instance }) => instance.exports))
  }
  const lines = [`| | ${builds.join(' | ')} |`, `|---|${builds.map(() => '---:|').join('')}`]
  for (const [name, corpus] of Object.entries(CORPORA))
    for (const [cut, cutName] of CUTS.entries()) {
      const ratios = pairs.map((pair) => {
        const prepared = pair.map(({ prepare }) => prepare(corpus, cut))
        const best = [Infinity, Infinity]
        for (let round = 0; round < rounds; round += 1)
          pair.forEach((program, i) => (best[i] = Math.min(best[i], turn(program, prepared[i]))))
        return `${(best[0] / best[1]).toFixed(2)} (${(MEGABYTES / best[1] * 1000).toFixed(0)} MB/s)`
      })
      lines.push(`| \`${name}\`/${cutName} | ${ratios.join(' | ')} |`)
    }
  return lines
}
