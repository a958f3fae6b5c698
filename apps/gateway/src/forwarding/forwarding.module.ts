import { Module } from '@nestjs/common'
import { AdmissionModule } from '../admission/admission.module.js'
import { AnswerMemory } from './answer-memory.service.js'
import { PartnerRoutes } from './partner.routes.js'
import { Upstreams } from './upstreams.service.js'

/** Forwards admitted requests to the owning service and streams its answers back as fast as the client reads. */
@Module({
  imports: [AdmissionModule],
  providers: [PartnerRoutes, Upstreams, AnswerMemory],
  exports: [Upstreams, AnswerMemory],
})
export class ForwardingModule {}
