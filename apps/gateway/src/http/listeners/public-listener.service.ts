import type { Server } from 'node:http'
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { isThisMachine } from '@connectivity/service-kit/text'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'
import { guardListener } from './listener-guard.js'

/** Clients that support this header never use plain HTTP for this host name again; over plain HTTP they ignore it. */
const HSTS = 'strict-transport-security'
const TWO_YEARS = 'max-age=63072000'

/** The partners' listener: the application's own server, guarded before it opens. */
@Injectable()
export class PublicListener implements OnModuleInit {
  /** Whether an address may open a connection now; set by admission. */
  mayConnect: (address: string) => boolean = () => true

  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getHttpServer() as Server
    guardListener(server, this.config, (address) => this.mayConnect(address))
    if (isThisMachine(this.config.HOST)) return
    server.prependListener('request', (_request, response) => response.setHeader(HSTS, TWO_YEARS))
  }
}
