// The receiver of callbacks in a process of its own.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { until } from '@connectivity/toolkit/until'
import type { Received } from './receiver.ts'

const PATIENCE = 180_000

/** A receiver as its benchmark uses it. */
export interface Receiver {
  origin: string
  reset: () => void
  /** Resolves with the receiver's report once healthy callbacks have got the given number of events. */
  reportOf: (count: number) => Promise<Received>
  end: () => void
}

/** Starts a receiver; the caller ends it. */
export async function startReceiver(): Promise<Receiver> {
  const receiver = fork(fileURLToPath(new URL('receiver.ts', import.meta.url)))
  const [port] = (await once(receiver, 'message')) as [number]
  const ask = async (): Promise<Received> => {
    receiver.send('report')
    const [report] = (await once(receiver, 'message')) as [Received]
    return report
  }
  const reportOf = async (count: number): Promise<Received> => {
    let wellEvents = 0
    const whole = async (): Promise<Received | undefined> => {
      const report = await ask()
      wellEvents = report.wellEvents
      return wellEvents >= count ? report : undefined
    }
    const complaint = () => `the receiver got only ${wellEvents} events in time`
    return until(whole, { within: PATIENCE, every: 100, complaint })
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    reset: () => receiver.send('reset'),
    reportOf,
    end: () => receiver.kill(),
  }
}
