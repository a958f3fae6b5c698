import { Controller, Get, Header, Res } from '@nestjs/common'
import type { FastifyReply } from 'fastify'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { register } from 'prom-client'
import { Health } from './health.js'

/** Probes and metrics, for the platform only. */
@Controller()
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('health/ready')
  ready(@Res() reply: FastifyReply): void {
    answer(reply, this.health.ready())
  }

  @Get('health/live')
  live(@Res() reply: FastifyReply): void {
    answer(reply, this.health.live())
  }

  @Get('metrics')
  @Header('content-type', register.contentType)
  metrics(): Promise<string> {
    return register.metrics()
  }
}

function answer(reply: FastifyReply, troubles: Record<string, string>): void {
  const healthy = Object.keys(troubles).length === 0
  void reply
    .status(healthy ? 200 : 503)
    .send({ schema_version: SCHEMA_VERSION, status: healthy ? 'ok' : 'unavailable', troubles })
}
