import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import { countUnreadable } from '@connectivity/service-kit/request-record'
import { tellOfMalformed } from './malformed-request.js'

/** Logs and counts what was refused before it was a request, beside the requests. */
@Injectable()
export class MalformedRecord implements OnModuleInit {
  constructor(@Inject(LOGGER) private readonly log: Logger) {}

  onModuleInit(): void {
    tellOfMalformed(({ status, code }, correlation_id) => {
      countUnreadable(status, code)
      this.log.info({ status, code, correlation_id }, 'unreadable request')
    })
  }
}
