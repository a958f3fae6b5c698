import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common'
import { type ServiceName, services } from '@connectivity/contracts/identity'
import { Pool } from 'undici'
import { GATEWAY_CONFIG, type GatewayConfig, serviceUrls } from '../config.js'

const CONNECTIONS = 16
/** Apart from the partners', so that neither waits for the other. */
const OPERATORS_CONNECTIONS = 8
/** For calls that wait for servers of partners', so that nobody waits with them. */
const SLOW_CONNECTIONS = 64
const CONNECT_TIMEOUT = 2_000
/** Longest silence in the middle of an answer, ms. */
const BODY_TIMEOUT = 15_000
/** Shorter than the services keep idle connections, so that we never write into one that is being closed, ms. */
const KEEP_ALIVE = 30_000

/** Keep-alive connections to each service behind the gateway. */
@Injectable()
export class Upstreams implements OnApplicationShutdown {
  private readonly pools: ReadonlyMap<ServiceName, Pool>
  private readonly operatorsPools: ReadonlyMap<ServiceName, Pool>
  private readonly slowPools: ReadonlyMap<ServiceName, Pool>

  constructor(@Inject(GATEWAY_CONFIG) config: GatewayConfig) {
    const urls = serviceUrls(config)
    const open = (service: ServiceName, connections: number) =>
      new Pool(new URL(urls[service]).origin, {
        connections,
        connect: { timeout: CONNECT_TIMEOUT },
        keepAliveTimeout: KEEP_ALIVE,
        // The forwarder keeps its own deadline, which also covers the wait for a free connection.
        headersTimeout: 0,
        bodyTimeout: BODY_TIMEOUT,
      })
    this.pools = new Map(services.map((service) => [service, open(service, CONNECTIONS)]))
    this.operatorsPools = new Map(services.map((service) => [service, open(service, OPERATORS_CONNECTIONS)]))
    this.slowPools = new Map(services.map((service) => [service, open(service, SLOW_CONNECTIONS)]))
  }

  of(service: ServiceName): Pool {
    return this.pools.get(service)!
  }

  forSlowCalls(service: ServiceName): Pool {
    return this.slowPools.get(service)!
  }

  forOperators(service: ServiceName): Pool {
    return this.operatorsPools.get(service)!
  }

  async onApplicationShutdown(): Promise<void> {
    const all = [this.pools, this.operatorsPools, this.slowPools].flatMap((pools) => [...pools.values()])
    await Promise.all(all.map((pool) => pool.close()))
  }
}
