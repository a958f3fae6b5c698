import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import type { FastifyInstance } from 'fastify'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'
import { CONSOLE_PATH } from '../../http/pages/page-paths.js'
import { WebApplication } from '../../http/pages/web-application.js'

/** The operators' console on the private listener, and the description of the interface that it uses. */
@Injectable()
export class ConsoleRoutes implements OnModuleInit {
  private readonly console: WebApplication
  private readonly description: Buffer

  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(GATEWAY_CONFIG) config: GatewayConfig,
  ) {
    this.console = new WebApplication(config.CONSOLE, CONSOLE_PATH, signInAt(config))
    this.description = readFileSync(join(config.DOCUMENTATION, 'operators-openapi.json'))
  }

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    fastify.get(`${OPERATORS_PATH}/openapi.json`, (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(this.description),
    )
    for (const path of [CONSOLE_PATH, `${CONSOLE_PATH}/*`]) {
      fastify.all(path, (request, reply) => this.console.send(request, reply))
    }
  }
}

/** How the console's pages reach the identity provider, if there is one: they exchange the code for a token there. */
function signInAt(config: GatewayConfig): ConstructorParameters<typeof WebApplication>[2] {
  const { OPERATOR_OIDC_ISSUER: issuer, OPERATOR_OIDC_CLIENT_ID: client_id, OPERATOR_OIDC_SCOPE: scope } = config
  if (issuer === '') return {}
  return { connectsTo: [new URL(issuer).origin], settings: { issuer, client_id, scope } }
}
