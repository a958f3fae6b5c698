import { timesIn } from './statement-log.ts'

const LOG = `@reservation-feed LOG:  duration: 0.061 ms  statement: BEGIN READ WRITE
@reservation-feed LOG:  duration: 0.029 ms  bind fence-pass: INSERT INTO consumed_offset VALUES ($1)
\t  ON CONFLICT DO NOTHING
@reservation-feed DETAIL:  Parameters: $1 = '7'
@reservation-feed LOG:  duration: 0.130 ms  execute fence-pass: INSERT INTO consumed_offset VALUES ($1)
@ LOG:  checkpoint starting: time
@gateway LOG:  duration: 0.004 ms  parse fence-pass: INSERT INTO consumed_offset VALUES ($1)
@gateway LOG:  duration: 0.700 ms  statement: COMMIT
@gateway LOG:  duration: 0.500 ms  statement: COMMIT
`

describe('a log of statements', () => {
  it('gives the times of binding and executing each statement of a service', () => {
    expect(Object.fromEntries(timesIn(LOG))).toEqual({
      'reservation-feed: BEGIN READ WRITE': { bind: [], execute: [0.061] },
      'reservation-feed: fence-pass': { bind: [0.029], execute: [0.13] },
      'gateway: COMMIT': { bind: [], execute: [0.7, 0.5] },
    })
  })
})
