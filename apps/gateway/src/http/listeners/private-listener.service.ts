import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import type { FastifyInstance } from 'fastify'
import { idleCloser } from '@connectivity/service-kit/http'
import type { BackgroundLoop } from '@connectivity/service-kit/work'
import { followTls, readTls } from '@connectivity/service-kit/service'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'
import { guardListener, listenerLimits } from './listener-guard.js'
import { answerMalformed } from './malformed-request.js'

/** The second listener, for operators, probes and metrics. Opens before the public one and closes after it. */
@Injectable()
export class PrivateListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | undefined
  private idle: BackgroundLoop | undefined

  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  get port(): number {
    return (this.server!.address() as AddressInfo).port
  }

  async onApplicationBootstrap(): Promise<void> {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    await fastify.ready()
    this.server = this.create((request, response) => {
      request.arrivedPrivately = true
      fastify.routing(request, response)
    })
    this.idle = idleCloser(this.server)
    this.server.on('clientError', answerMalformed)
    guardListener(this.server, this.config)
    const { PRIVATE_PORT, PRIVATE_HOST, HOST } = this.config
    this.server.listen(PRIVATE_PORT, PRIVATE_HOST || HOST)
    await once(this.server, 'listening')
  }

  private create(listener: RequestListener): Server {
    const folder = this.config.PRIVATE_TLS_FILES
    if (folder === '') return createServer(listenerLimits, listener)
    const server = createTlsServer({ ...listenerLimits, ...readTls(folder) }, listener)
    followTls(server, folder, this.log)
    return server
  }

  async onApplicationShutdown(): Promise<void> {
    const server = this.server
    if (!server) return
    this.idle?.start()
    await new Promise((closed) => server.close(closed))
    await this.idle?.stop()
  }
}
