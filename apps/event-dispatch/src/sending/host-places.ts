/** Requests to one host at once before its callbacks are held to one each. */
const HOST_LIMIT = 64

interface Host {
  active: number
  readonly byCallback: Map<string, number>
  /** First come, first served among those that may enter. */
  readonly waiting: { callback: string; enter: () => void }[]
}

/**
 * Politeness towards hosts that many callbacks share: at most 64 requests at once, but always one for each callback,
 * so that no callback's slow answers keep the others from theirs.
 */
export class HostPlaces {
  private readonly hosts = new Map<string, Host>()

  /**
   * Takes a place; give it back with `leave`.
   * @throws the signal's reason when it is aborted before there is one
   */
  async enter(name: string, callback: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    const host = this.hosts.get(name) ?? { active: 0, byCallback: new Map(), waiting: [] }
    this.hosts.set(name, host)
    if (mayEnter(host, callback)) count(host, callback, 1)
    else await wait(host, callback, signal)
  }

  leave(name: string, callback: string): void {
    const host = this.hosts.get(name)!
    count(host, callback, -1)
    // Mostly one; two when a callback's last request made room and its next one is entitled besides.
    for (let next = firstAdmitted(host); next !== -1; next = firstAdmitted(host)) {
      const [place] = host.waiting.splice(next, 1)
      count(host, place!.callback, 1)
      place!.enter()
    }
    if (host.active === 0) this.hosts.delete(name)
  }
}

const mayEnter = ({ active, byCallback }: Host, callback: string): boolean =>
  active < HOST_LIMIT || !byCallback.has(callback)

const firstAdmitted = (host: Host): number => host.waiting.findIndex(({ callback }) => mayEnter(host, callback))

function count(host: Host, callback: string, change: 1 | -1): void {
  host.active += change
  const own = (host.byCallback.get(callback) ?? 0) + change
  if (own === 0) host.byCallback.delete(callback)
  else host.byCallback.set(callback, own)
}

function wait({ waiting }: Host, callback: string, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const place = { callback, enter: resolve }
  waiting.push(place)
  const giveUp = () => {
    const index = waiting.indexOf(place)
    if (index === -1) return
    waiting.splice(index, 1)
    reject(signal?.reason as Error)
  }
  signal?.addEventListener('abort', giveUp, { once: true })
  return promise.finally(() => signal?.removeEventListener('abort', giveUp))
}
