import { setTimeout as delay } from 'node:timers/promises'

/** Sleeps for the given ms, or until the signal is aborted; leaves no timer behind. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  delay(milliseconds, undefined, { signal }).catch(() => undefined)

/**
 * Waits for work that cannot be interrupted, at most until the signal is aborted.
 * @param late disposes of a result that arrives after that
 * @throws the work's error, or the signal's reason
 */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  late: (value: T) => unknown = () => undefined,
): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => {
    work.then(late).catch(() => undefined)
    reject(signal.reason as Error)
  }
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Resolves when the work has settled, after `limit` ms at the latest; leaves no timer behind. */
export async function settled(work: Promise<unknown>, limit: number): Promise<void> {
  const done = new AbortController()
  const end = () => done.abort()
  work.then(end, end)
  await pause(limit, done.signal)
}
