import { cautionsOf } from '@connectivity/service-kit/config'
import type { ServiceOptions } from '@connectivity/service-kit/service'
import { configKeys, type GatewayConfig } from './config.js'
import { GatewayModule } from './gateway.module.js'
import { routedTarget } from './http/listeners/listeners.js'
import { answerMalformed } from './http/listeners/malformed-request.js'
import { listenerLimits, STALLED_AFTER } from './http/listeners/listener-guard.js'

/** Replaces Fastify's parsed query: queries are read from the target as sent, by the rules of the interface. */
const NO_QUERY = Object.freeze({})

/** The gateway as a service: its module behind the public listener; the private one is opened by the module. */
export const gateway = (config: GatewayConfig): ServiceOptions => ({
  name: 'gateway',
  module: GatewayModule.with(config),
  config,
  port: config.PUBLIC_PORT,
  cautions: cautionsOf(configKeys, config),
  isBorder: true,
  tlsFiles: config.PUBLIC_TLS_FILES,
  parser: listenerLimits,
  listener: {
    connectionTimeout: STALLED_AFTER,
    trustProxy: config.TRUSTED_PROXIES.length > 0 && [...config.TRUSTED_PROXIES],
    rewriteUrl: routedTarget,
    clientErrorHandler: answerMalformed,
  },
  router: { querystringParser: () => NO_QUERY },
})
