#!/usr/bin/env node
// npm run bench -- <figure> [options]: measures on a stack of its own, interleaved with the floor it is compared with.
const figures = {
  gateway: () => import('./gateway.mjs'),
  feed: () => import('./feed.mjs'),
  ari: () => import('./ari.mjs'),
  dispatch: () => import('./dispatch.mjs'),
}

const [name, ...options] = process.argv.slice(2)
if (!(name in figures)) {
  process.stderr.write(`npm run bench -- <figure> [options], one of: ${Object.keys(figures).join(', ')}\n`)
  process.exit(2)
}
const { bench } = await figures[name]()
await bench(options)
