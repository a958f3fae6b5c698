import { Module } from '@nestjs/common'
import { purge } from '@connectivity/database'
import { HttpModule } from '../http/http.module.js'
import { LiveModule } from '../live/live.module.js'
import { Activity } from './activity/activity.service.js'
import { ActivityStore } from './activity/activity.store.js'
import { StoppedPolling } from './activity/stopped-polling.service.js'
import { Admission } from './admission.service.js'
import { Authentication } from './authentication/authentication.service.js'
import { AuthenticationOutcomes } from './authentication/authentication-outcomes.service.js'
import { StrangerRefusals } from './authentication/stranger-refusals.hook.js'
import { LargeBodyTurns } from './large-body-turns.service.js'
import { ConnectionLimit } from './limits/connection-limit.service.js'
import { FailedAuthentications } from './limits/failed-authentications.service.js'
import { PacedAnswers } from './limits/paced-answers.hook.js'
import { PageLimits } from './limits/page-limits.service.js'
import { RateLimiter } from './limits/rate-limiter.service.js'
import { RedisBuckets } from './limits/redis-buckets.client.js'
import { RequestLimits } from './limits/request-limits.service.js'
import { AccessTokenStore } from './oauth/access-token.store.js'
import { OAuthClients } from './oauth/oauth-clients.service.js'
import { TokenRoutes } from './oauth/token.routes.js'
import { Observations } from './observations.service.js'
import { PortalSessionRoutes } from './portal/portal-session.routes.js'
import { PortalSessionStore } from './portal/portal-session.store.js'
import { PortalSessions } from './portal/portal-sessions.service.js'
import { SignatureBindings } from './signature-binding/signature-bindings.service.js'
import { SignatureBindingStore } from './signature-binding/signature-binding.store.js'
import { SignatureDoctor } from './signature-doctor/signature-doctor.service.js'

/** Admits or refuses partners' requests, in the order that the interface documents, and issues tokens. */
@Module({
  imports: [HttpModule, LiveModule],
  providers: [
    ...[Admission, LargeBodyTurns, Observations],
    ...[Authentication, AuthenticationOutcomes, StrangerRefusals, SignatureDoctor],
    ...[Activity, ActivityStore, StoppedPolling],
    ...[RequestLimits, PageLimits, PacedAnswers, FailedAuthentications, ConnectionLimit, RateLimiter, RedisBuckets],
    ...[OAuthClients, TokenRoutes, AccessTokenStore, PortalSessionRoutes, PortalSessions, PortalSessionStore],
    ...[SignatureBindings, SignatureBindingStore],
    purge('expired tokens', AccessTokenStore, (store) => store.purge()),
    purge('bindings of old signatures', SignatureBindingStore, (store) => store.purge()),
  ],
  exports: [
    ...[Admission, Authentication, AuthenticationOutcomes, AccessTokenStore],
    ...[Observations, Activity, RequestLimits, PageLimits],
  ],
})
export class AdmissionModule {}
