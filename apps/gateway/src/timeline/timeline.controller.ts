import { Controller, Get, Param } from '@nestjs/common'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { INTERNAL_PATH, type Timeline } from '@connectivity/contracts/timeline'
import { type Admitted, AdmittedRequest } from '../admission/admitted.js'
import { partnerCaller } from '../forwarding/exchange/service-caller.js'
import { partnerSearcher } from '../request-log/log-searches.service.js'
import { Timelines } from './timelines.service.js'

/** GET /reservations/{reservation_id}/timeline: the history of a reservation, with the requests that fetched it. */
@Controller(`${BASE_PATH}/reservations/:reservationId/timeline`)
export class TimelineController {
  constructor(private readonly timelines: Timelines) {}

  @Get()
  read(@Param('reservationId') reservationId: string, @AdmittedRequest() admitted: Admitted): Promise<Timeline> {
    const { connectionId } = admitted.connection!
    const caller = partnerCaller(admitted)
    return this.timelines.of({
      searcher: partnerSearcher(admitted),
      connectionId,
      reservationId,
      caller,
      base: INTERNAL_PATH,
    })
  }
}
