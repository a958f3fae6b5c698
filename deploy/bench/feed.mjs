// Cost of the feed: npm run bench -- feed [part …] [--events n] [--seconds n] [--rows n,n] [--bookings n]
import { parseArgs } from 'node:util'

const parts = {
  projection: () => import('./feed/projection.mjs'),
  freshness: () => import('./feed/freshness.mjs'),
  growth: () => import('./feed/growth.mjs'),
  fill: () => import('./feed/fill.mjs'),
}

const options = {
  events: { type: 'string', default: '100000' },
  seconds: { type: 'string', default: '20' },
  rows: { type: 'string', default: '100000,1000000' },
  bookings: { type: 'string', default: '50000' },
}

/** Runs the named parts, or all of them. */
export async function bench(args, report) {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const unknown = positionals.filter((name) => !(name in parts))
  if (unknown.length > 0) throw new Error(`no part ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`)
  const sizes = {
    events: Number(values.events),
    seconds: Number(values.seconds),
    rows: values.rows.split(',').map(Number),
    bookings: Number(values.bookings),
  }
  for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
    const { measure } = await parts[name]()
    await measure(sizes, report)
  }
}
