import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common'
import { type ServiceName, services } from '@connectivity/contracts/identity'
import type { Operation } from '@connectivity/contracts/operation'
import { Pool } from 'undici'
import { GATEWAY_CONFIG, type GatewayConfig, serviceUrls } from '../../config.js'
import { AnswerMemory, LARGEST_KEPT_ANSWER } from '../answers/answer-memory.service.js'
import { type QueueLimits, UpstreamQueue } from './upstream-queue.js'

/** Two applications can take all places but the reserved ones. */
const PARTNERS: QueueLimits = { connections: 20, perApplication: 8, reserved: 4, answerBytes: LARGEST_KEPT_ANSWER }
/** Separate from the partners', so that neither waits for the other; an operator counts as an application. */
const OPERATORS: QueueLimits = { connections: 8, perApplication: 8, reserved: 0, answerBytes: LARGEST_KEPT_ANSWER }
/**
 * For calls that wait for partners' servers or read a whole feed, so that other calls do not wait behind them. They
 * wait as long for a place here as digests wait in the feed for their turn.
 */
const SLOW_CALLS: QueueLimits = {
  connections: 72,
  perApplication: 8,
  reserved: 8,
  answerBytes: 512 * 1024,
  patience: 3_000,
}
const CONNECT_TIMEOUT = 2_000
/** Longest silence in the middle of an answer, ms. */
const BODY_TIMEOUT = 15_000
/** Shorter than the idle time of the services, so that no request goes into a connection that is being closed, ms. */
const KEEP_ALIVE = 30_000

/** Keep-alive connections to a service and the queue for them. */
export interface Upstream {
  pool: Pool
  queue: UpstreamQueue
}

/** Partners and operators have separate connections. */
export type Side = 'partners' | 'operators'

/** The connections to each service behind the gateway. */
@Injectable()
export class Upstreams implements OnApplicationShutdown {
  private readonly sides: Record<Side, ReadonlyMap<ServiceName, Upstream>>
  private readonly slowCalls: ReadonlyMap<ServiceName, Upstream>

  constructor(@Inject(GATEWAY_CONFIG) config: GatewayConfig, memory: AnswerMemory) {
    const urls = serviceUrls(config)
    const open = (service: ServiceName, limits: QueueLimits): Upstream => ({
      queue: new UpstreamQueue(limits, memory),
      pool: new Pool(new URL(urls[service]).origin, {
        connections: limits.connections,
        connect: { timeout: CONNECT_TIMEOUT, ca: config.SERVICES_CA || undefined },
        keepAliveTimeout: KEEP_ALIVE,
        // `Exchange` has its own deadline, which also covers the wait for a free connection.
        headersTimeout: 0,
        bodyTimeout: BODY_TIMEOUT,
      }),
    })
    const toEach = (limits: QueueLimits) => new Map(services.map((service) => [service, open(service, limits)]))
    this.sides = { partners: toEach(PARTNERS), operators: toEach(OPERATORS) }
    this.slowCalls = toEach(SLOW_CALLS)
  }

  /** For operators' calls, and for questions of the gateway. */
  of(side: Side, service: ServiceName): Upstream {
    return this.sides[side].get(service)!
  }

  /** For a call of a partner to the service that owns it. Slow calls have connections of their own. */
  forCall({ owner, headDeadline }: Operation): Upstream {
    const upstreams = headDeadline === undefined ? this.sides.partners : this.slowCalls
    return upstreams.get(owner as ServiceName)!
  }

  async onApplicationShutdown(): Promise<void> {
    const all = [this.sides.partners, this.sides.operators, this.slowCalls].flatMap((each) => [...each.values()])
    await Promise.all(all.map(({ pool }) => pool.close()))
  }
}
