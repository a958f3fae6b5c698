import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { countUnreadable } from '@connectivity/service-kit/http'
import { reportMalformedTo } from './malformed-request.js'

/** Logs and counts input that was refused before it became a request, in the same way as requests. */
@Injectable()
export class MalformedRecord implements OnModuleInit {
  constructor(@Inject(LOGGER) private readonly log: Logger) {}

  onModuleInit(): void {
    reportMalformedTo(({ status, code }, correlation_id) => {
      countUnreadable(status, code)
      this.log.info({ status, code, correlation_id }, 'unreadable request')
    })
  }
}
