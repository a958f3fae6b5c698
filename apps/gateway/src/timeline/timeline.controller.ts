import { Controller, Get, Param } from '@nestjs/common'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { INTERNAL_PATH, type Timeline } from '@connectivity/contracts/timeline'
import { type Admitted, AdmittedRequest } from '../admission/admitted.js'
import { partnerAsker } from '../forwarding/exchange/asker.js'
import { partnerSearcher } from '../request-log/log-searches.service.js'
import { Timelines } from './timelines.service.js'

/** GET /reservations/{reservation_id}/timeline: the history of a reservation, with the requests that fetched it. */
@Controller(`${BASE_PATH}/reservations/:reservationId/timeline`)
export class TimelineController {
  constructor(private readonly timelines: Timelines) {}

  @Get()
  read(@Param('reservationId') reservationId: string, @AdmittedRequest() admitted: Admitted): Promise<Timeline> {
    const { connectionId } = admitted.connection!
    const asker = partnerAsker(admitted)
    return this.timelines.of({
      searcher: partnerSearcher(admitted),
      connectionId,
      reservationId,
      asker,
      base: INTERNAL_PATH,
    })
  }
}
