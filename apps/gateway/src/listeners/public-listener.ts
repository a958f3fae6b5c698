import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { isThisMachine } from '@connectivity/service-kit/plain-text'
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js'
import { KnownAddresses } from '../door/known-addresses.js'
import { addressIn, countedAddress } from '../limits/client-address.js'
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
    guardListener(server, this.config)
    server.on('connection', (socket: Socket) => this.limitFailing(socket))
    if (isThisMachine(this.config.HOST)) return
    server.prependListener('request', (_request, response) => response.setHeader(HSTS, TWO_YEARS))
  }

  /**
   * Closes connections of an address that is over its limit of failed authentications, but for a few a second: its next
   * failure would cost a connection each. Where a valid credential came from lately is let in; a trusted proxy speaks
   * for many clients.
   */
  private limitFailing(socket: Socket): void {
    const peer = socket.remoteAddress ?? ''
    const address = countedAddress(peer)
    if (address === null || this.known.has(address) || addressIn(this.config.TRUSTED_PROXIES, peer)) return
    if (!this.failures.mayConnect(address)) socket.destroy()
  }
}
