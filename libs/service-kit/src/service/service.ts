import 'reflect-metadata'
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type DynamicModule, Global, Module, type Type } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import type { FastifyServerOptions } from 'fastify'
import { CORRELATION_HEADER } from '@connectivity/contracts/identity'
import { MAX_BODY_BYTES } from '@connectivity/contracts/partner-api'
import { collectDefaultMetrics } from 'prom-client'
import { noteAuthorities } from '../config/authorities.js'
import { type BuildConfig, noteBuild } from '../config/build-info.js'
import { correlationIdFrom } from '../http/correlation.js'
import { answerFrameworkError, ErrorEnvelopeFilter } from '../http/error-envelope.filter.js'
import { Health } from './health.js'
import { HealthController } from './health.controller.js'
import { matchExactPaths } from '../http/exact-path.js'
import { readBodiesStrictly } from '../http/json-body.js'
import { followTls, readTls } from './listener-tls.js'
import { createLogger, LOGGER, type Logger, NestLog } from '../logging/logging.js'
import { recordRequests } from '../http/request-record.js'
import { tracesEndpoint, type TracingConfig } from '../tracing/tracing-keys.js'
import { idleCloser } from '../http/unused-connections.js'
import { allocateYoung } from './young-allocation.js'

/** Longest time a stop may take before the process ends itself, ms. */
const STOP_LIMIT = 10_000
/** Header and request deadlines of the listener, ms. */
const REQUEST_LIMIT = 30_000
/**
 * Time for which an idle connection is kept, ms: longer than any caller keeps it, so that the caller closes it first.
 */
const KEEP_ALIVE = 75_000

/** Longest head, bytes: a partner's may have 16 KiB, and the gateway adds to it on the way. */
const MAX_HEAD = 32 * 1024

/** Longest path segment that a route takes as a parameter; the request line ends before it. */
const MAX_PARAMETER = 16 * 1024

@Global()
@Module({})
class ServiceModule {
  static with(logger: Logger): DynamicModule {
    const providers = [{ provide: LOGGER, useValue: logger }, Health]
    return { module: ServiceModule, controllers: [HealthController], providers, exports: providers }
  }
}

/** Parts of a service. */
export interface ServiceOptions {
  name: string
  /** The service's own module: its table of contents. */
  module: DynamicModule
  config: { HOST: string; LOG_LEVEL: string; DRAIN_SECONDS: number; INSTANCE_NAME?: string } & BuildConfig &
    TracingConfig
  port: number
  /** Folder of the listener's certificate and key, see `tlsFolderKey`; without one it speaks plain HTTP. */
  tlsFiles?: string
  /** Whether its callers are outside the system, see `samplerOf`. */
  isBorder?: boolean
  /** Unsafe settings of the configuration (`cautionsOf`); each is logged at level warn at the start. */
  cautions?: readonly string[]
  /** Provider that feeds Kafka batches to the consumers of the module. */
  consumer?: Type<object>
  /** Limits of the listener's parser, where they differ from every service's. */
  parser?: ServerOptions
  /** The listener's own rules, where they differ from every service's. */
  listener?: ConstructorParameters<typeof FastifyAdapter>[0]
  /** Rules of the router, in addition to every service's. */
  router?: RouterOptions
  /** Registers hooks that every request passes; called before the listener opens. */
  prepare?: (app: NestFastifyApplication) => void | Promise<void>
}

type RouterOptions = NonNullable<FastifyServerOptions['routerOptions']>

/** Builds the application without opening its listener; `startService` is what a process calls. */
async function build(options: ServiceOptions, logger: Logger): Promise<NestFastifyApplication> {
  const { parser = { maxHeaderSize: MAX_HEAD } } = options
  const adapter = new FastifyAdapter({
    bodyLimit: MAX_BODY_BYTES,
    ...(options.tlsFiles ? { https: { ...parser, ...readTls(options.tlsFiles) } } : { http: parser }),
    requestTimeout: REQUEST_LIMIT,
    keepAliveTimeout: KEEP_ALIVE,
    forceCloseConnections: 'idle',
    // A late request on a kept connection is served like any other; then the connection is closed.
    return503OnClosing: false,
    exposeHeadRoutes: true,
    // Longer ids than ours get 404, not 414.
    routerOptions: { maxParamLength: MAX_PARAMETER, ...options.router },
    genReqId: (request: IncomingMessage) => correlationIdFrom(request.headers[CORRELATION_HEADER]),
    frameworkErrors: answerFrameworkError,
    ...(options.listener as object),
  })
  const root: DynamicModule = { module: class Root {}, imports: [ServiceModule.with(logger), options.module] }
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    logger: new NestLog(logger),
    abortOnError: false,
    bodyParser: false,
  })
  recordRequests(app.getHttpAdapter().getInstance(), logger)
  matchExactPaths(app.getHttpAdapter().getInstance())
  readBodiesStrictly(app.getHttpAdapter().getInstance())
  app.useGlobalFilters(new ErrorEnvelopeFilter(logger))
  return app
}

/**
 * Interval of the samples of the event loop's delay, ms; each sample includes it. With the default of 10 ms, sampling
 * takes half of an idle process's CPU time.
 */
const LAG_SAMPLES_EVERY = 50

/**
 * Starts one service of the system: listener, consumers, probes, metrics, and an orderly stop on SIGTERM or SIGINT
 * (readiness red; requests are still accepted for DRAIN_SECONDS, each as the last one of its connection; requests and
 * batches in flight finish, everything is closed; after 10 s more the process ends itself).
 */
export async function startService(options: ServiceOptions): Promise<NestFastifyApplication> {
  allocateYoung()
  const logger = createLogger(options.name, options.config.LOG_LEVEL, options.config.BUILD_VERSION)
  collectDefaultMetrics({ eventLoopMonitoringPrecision: LAG_SAMPLES_EVERY })
  noteBuild(options.config)
  noteAuthorities(options.config)
  failFast(logger)
  for (const caution of options.cautions ?? []) logger.warn(`not safe in production: ${caution}`)
  try {
    const stopTracing = await traced(options, logger)
    const app = await build(options, logger)
    stopOnSignal(app, logger, options.config.DRAIN_SECONDS, stopTracing)
    if (options.consumer)
      app.connectMicroservice({ strategy: app.get(options.consumer, { strict: false }) }, { inheritAppConfig: true })
    await options.prepare?.(app)
    await app.listen(options.port, options.config.HOST)
    if (options.tlsFiles) followTls(app.getHttpServer() as Server, options.tlsFiles, logger)
    if (options.consumer) await app.startAllMicroservices()
    app.get(Health).markStarted()
    logger.info({ port: options.port }, 'started')
    return app
  } catch (error) {
    logger.fatal({ err: error }, 'could not start')
    process.exit(1)
  }
}

/** Loads the tracing code only if traces are sent. @returns a function that sends the last spans, see `startTracing` */
async function traced(options: ServiceOptions, logger: Logger): Promise<() => Promise<void>> {
  const { name: service, config, isBorder = false } = options
  const endpoint = tracesEndpoint(config)
  if (endpoint === null) return async () => undefined
  const { startTracing } = await import('../tracing/tracing.js')
  return startTracing({ service, instance: config.INSTANCE_NAME, endpoint, config, isBorder }, logger)
}

function failFast(logger: Logger): void {
  const die = (err: unknown) => {
    logger.fatal({ err }, 'unexpected error, ending the process')
    process.exit(1)
  }
  process.on('uncaughtException', die)
  process.on('unhandledRejection', die)
}

function stopOnSignal(
  app: NestFastifyApplication,
  logger: Logger,
  drainSeconds: number,
  stopTracing: () => Promise<void>,
): void {
  const server = app.getHttpServer() as Server
  const idle = idleCloser(server)
  let isStopping = false
  const stop = async (signal: string) => {
    if (isStopping) return
    isStopping = true
    logger.info({ signal }, 'stopping')
    app.get(Health).markStopping()
    closeAfterAnswers(server)
    await delay(drainSeconds * 1000)
    setTimeout(() => process.exit(1), STOP_LIMIT).unref()
    idle.start()
    await app.close()
    await stopTracing()
    process.exit(0)
  }
  process.once('SIGTERM', (signal) => void stop(signal))
  process.once('SIGINT', (signal) => void stop(signal))
}

/** Makes every further answer close its connection, so that the load balancer sends the client elsewhere. */
function closeAfterAnswers(server: Server): void {
  server.prependListener('request', (_request, response: ServerResponse) => response.setHeader('connection', 'close'))
}
