import type { Server } from 'node:http'
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js'
import { guardListener } from './listener-guard.js'

/** The partners' door: the application's own listener, guarded before it opens. */
@Injectable()
export class PublicListener implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  onModuleInit(): void {
    guardListener(this.host.httpAdapter.getHttpServer() as Server, this.config)
  }
}
