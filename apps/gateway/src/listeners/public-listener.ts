import type { Server } from 'node:http'
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { isThisMachine } from '@connectivity/service-kit/plain-text'
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js'
import { KnownAddresses } from '../door/known-addresses.js'
import { FailedAuthentications } from '../limits/failed-authentications.js'
import { guardListener } from './listener-guard.js'

/** Browsers and clients that know it never speak plain HTTP to this name again; they ignore it over plain HTTP. */
const HSTS = 'strict-transport-security'
const TWO_YEARS = 'max-age=63072000'

/** The partners' door: the application's own listener, guarded before it opens. */
@Injectable()
export class PublicListener implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly failures: FailedAuthentications,
    private readonly known: KnownAddresses,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getHttpServer() as Server
    guardListener(server, this.config, (address) => this.mayConnect(address))
    if (isThisMachine(this.config.HOST)) return
    server.prependListener('request', (_request, response) => response.setHeader(HSTS, TWO_YEARS))
  }

  /**
   * An address over its limit of failed authentications opens few connections: its next failure would cost one each. One
   * from which a valid credential came lately is not limited.
   */
  private mayConnect(address: string): boolean {
    return this.known.has(address) || this.failures.mayConnect(address)
  }
}
