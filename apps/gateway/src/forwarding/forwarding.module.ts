import { Module } from '@nestjs/common'
import { AdmissionModule } from '../admission/admission.module.js'
import { LiveModule } from '../live/live.module.js'
import { AppliedCatalogs } from './exchange/applied-catalogs.client.js'
import { AnswerMemory } from './answers/answer-memory.service.js'
import { ChangeStreams } from './waiting/change-streams.client.js'
import { OwnAnswers } from './answers/own-answers.hook.js'
import { PartnerRoutes } from './partner.routes.js'
import { RepeatableAnswers } from './waiting/repeatable-answers.service.js'
import { ServiceCalls } from './exchange/service-calls.service.js'
import { ServiceQuestions } from './exchange/service-questions.client.js'
import { Upstreams } from './exchange/upstreams.service.js'
import { WaitingRequests } from './waiting/waiting-requests.service.js'

/** Forwards admitted requests to the owning service and streams its answers back as fast as the client reads. */
@Module({
  imports: [AdmissionModule, LiveModule],
  providers: [
    ...[PartnerRoutes, WaitingRequests, ChangeStreams, RepeatableAnswers],
    ...[Upstreams, AnswerMemory, ServiceCalls, ServiceQuestions, AppliedCatalogs, OwnAnswers],
  ],
  exports: [Upstreams, AnswerMemory, ServiceQuestions, AppliedCatalogs],
})
export class ForwardingModule {}
