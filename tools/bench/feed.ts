// Cost of the feed: npm run bench -- feed [part …] [--events n] [--seconds n] [--rows n,n] [--bookings n]
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import type { Sizes } from './feed/sizes.ts'
import { present } from '@connectivity/toolkit/present'
import type { Report } from './report/report.ts'

/** Exports of a part's module. */
interface Part {
  measure: (sizes: Sizes, report: Report) => Promise<void>
}

const parts: Record<string, () => Promise<Part>> = {
  projection: () => import('./feed/projection.ts'),
  freshness: () => import('./feed/freshness.ts'),
  trace: () => import('./feed/trace.ts'),
  growth: () => import('./feed/growth.ts'),
  progress: () => import('./feed/progress.ts'),
  fill: () => import('./feed/fill.ts'),
}

const options = {
  events: { type: 'string', default: '100000' },
  seconds: { type: 'string', default: '20' },
  rows: { type: 'string', default: '100000,10000000' },
  bookings: { type: 'string', default: '50000' },
} satisfies ParseArgsOptionsConfig

/** Runs the named parts, or all of them. */
export async function bench(args: string[], report: Report): Promise<void> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const unknown = positionals.filter((name) => !(name in parts))
  if (unknown.length > 0) throw new Error(`no part ${unknown.join(', ')}; choose from ${Object.keys(parts).join(', ')}`)
  const sizes: Sizes = {
    events: Number(values.events),
    seconds: Number(values.seconds),
    rows: values.rows.split(',').map(Number),
    bookings: Number(values.bookings),
  }
  for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
    const { measure } = await present(parts[name], `part ${name}`)()
    await measure(sizes, report)
  }
}
