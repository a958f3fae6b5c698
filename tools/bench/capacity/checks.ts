// The model against the benchmarks' own throughput.
import { coresOf, measured } from './measured.ts'
import { predicted } from './model.ts'

/** A benchmark whose throughput the model predicts. */
export interface Check {
  name: string
  measured: number
  predicted: number
}

type Place = readonly [file: string, title: string, row: string, floor: string, rate: string]

const PLACES: readonly Place[] = [
  ['gateway', 'page of 50', 'gateway + feed', 'one bare process', 'requests/s'],
  ['gateway', 'idle poll that asks the feed', 'gateway + feed', 'one bare process', 'requests/s'],
  ['feed-projection', '100000 booking events', 'feed', 'bare upsert', 'events/s'],
  ['ari', 'calls of one cell, 64 clients', 'gateway + ARI', 'two bare processes', 'calls/s'],
  ['dispatch', '20000 events', '10 callback(s)', 'bare loop of signed posts, round 2', 'deliveries/s'],
  ['dispatch', '20000 events', '100 callback(s)', 'bare loop of signed posts, round 3', 'deliveries/s'],
]

/** Every check. Calls of one cell for one property are left out: the property's lock bounds them, not CPU. */
export const checks = (): Check[] =>
  PLACES.map(([file, title, row, floor, rate]) => {
    const cost = measured(file, title, row)
    return {
      name: `${title}: ${row}`,
      measured: cost.also[rate]!,
      predicted: predicted(cost, measured(file, title, floor), rate, coresOf(file)),
    }
  })
