import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import type { ServiceName } from '@connectivity/contracts/identity'
import { operations } from '@connectivity/contracts/partner-api'
import { CHANGES_PATH, CURRENT, EVERYTHING_CHANGED } from '@connectivity/contracts/waiting'
import { BackgroundLoop } from '@connectivity/service-kit/work'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { Client } from 'undici'
import { GATEWAY_CONFIG, type GatewayConfig, serviceUrls } from '../../config.js'
import { followerClaims, identify } from '../exchange/identity.js'

/** Services send a line every second, those of 0.1.0 every 5 s; a stream silent for longer has been lost, ms. */
const SILENCE = 6_000
/** Time for which a service that was current counts as such, ms. */
const CURRENT_FOR = 2_500
const CONNECT_TIMEOUT = 2_000
const RECONNECT_AFTER = 200
const RETRY_AFTER = 1_000

/** @param connectionId null when any connection may have changed */
type Listener = (service: ServiceName, connectionId: string | null) => void

/**
 * Follows the changes of the services whose calls can wait, over one connection to each, for any number of waiting
 * requests. A new connection may have missed changes, so it counts as a change of everything.
 */
@Injectable()
export class ChangeStreams implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController()
  private readonly loops: BackgroundLoop[]
  private readonly listeners: Listener[] = []
  /** Time until which each service counts as current, ms of `performance.now`. */
  private readonly currentUntil = new Map<ServiceName, number>()

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    const services = new Set(operations.filter(({ waits }) => waits).map(({ owner }) => owner as ServiceName))
    this.loops = [...services].map(
      (service) =>
        new BackgroundLoop(
          () => this.follow(service),
          (err) => this.recover(service, err),
        ),
    )
  }

  /** Calls the listener for every change of a service; with null for the connection when any may have changed. */
  onChange(listener: Listener): void {
    this.listeners.push(listener)
  }

  /** Whether every change of the service up to a moment ago has arrived and been applied. */
  isCurrent(service: ServiceName): boolean {
    return performance.now() < (this.currentUntil.get(service) ?? 0)
  }

  onApplicationBootstrap(): void {
    for (const loop of this.loops) loop.start()
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort()
    await Promise.all(this.loops.map((loop) => loop.stop()))
  }

  /** @returns how long to rest after the service has ended the stream, ms */
  private async follow(service: ServiceName): Promise<number> {
    const client = new Client(new URL(serviceUrls(this.config)[service]).origin, {
      connect: { timeout: CONNECT_TIMEOUT, ca: this.config.SERVICES_CA || undefined },
      headersTimeout: SILENCE,
      bodyTimeout: SILENCE,
    })
    try {
      const { statusCode, body } = await client.request({
        method: 'GET',
        path: CHANGES_PATH,
        headers: this.headers(service),
        signal: this.stopping.signal,
      })
      if (statusCode !== 200) throw new Error(`${service} answered ${statusCode} instead of its changes`)
      this.notifyListeners(service, EVERYTHING_CHANGED)
      for await (const line of linesOf(body)) this.take(service, line)
      return RECONNECT_AFTER
    } finally {
      this.currentUntil.delete(service)
      client.destroy().catch(() => undefined)
    }
  }

  private recover(service: ServiceName, err: unknown): number {
    if (this.stopping.signal.aborted) return 0
    this.log.warn({ err, service }, 'change stream lost, reconnecting')
    return RETRY_AFTER
  }

  private headers(service: ServiceName): Record<string, string> {
    const headers: Record<string, string> = {}
    identify(headers, this.config.IDENTITY_KEYS, followerClaims(service), { method: 'GET', target: CHANGES_PATH })
    return headers
  }

  private take(service: ServiceName, line: string): void {
    if (line === CURRENT) this.currentUntil.set(service, performance.now() + CURRENT_FOR)
    else if (line === '') this.currentUntil.delete(service)
    else this.notifyListeners(service, line)
  }

  private notifyListeners(service: ServiceName, line: string): void {
    if (line === EVERYTHING_CHANGED) this.currentUntil.delete(service)
    const ids = line === EVERYTHING_CHANGED ? [null] : line.split(' ')
    for (const id of ids) for (const listener of this.listeners) listener(service, id)
  }
}

/** Lines of a text that arrives in pieces, without their ends. */
async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + chunk.toString()).split('\n')
    rest = lines.pop()!
    yield* lines
  }
}
