import { Module } from '@nestjs/common'
import { HttpModule } from '../http/http.module.js'
import { LiveModule } from '../live/live.module.js'
import { Activity } from './activity/activity.js'
import { ActivityStore } from './activity/activity.store.js'
import { Admission } from './admission.js'
import { Authentication } from './authentication/authentication.js'
import { AuthenticationOutcomes } from './authentication/authentication-outcomes.js'
import { LargeBodyTurns } from './large-body-turns.js'
import { ConnectionLimit } from './limits/connection-limit.js'
import { FailedAuthentications } from './limits/failed-authentications.js'
import { RateLimiter } from './limits/rate-limiter.js'
import { RedisBuckets } from './limits/redis-buckets.client.js'
import { RequestLimits } from './limits/request-limits.js'
import { OAuthClients } from './oauth/oauth-clients.js'
import { TokenRoutes } from './oauth/token.routes.js'
import { Observations } from './observations.js'
import { SignatureBindings } from './signature-binding/signature-bindings.js'
import { SignatureBindingStore } from './signature-binding/signature-binding.store.js'

/** Admits or refuses partners' requests, in the order that the interface documents, and issues tokens. */
@Module({
  imports: [HttpModule, LiveModule],
  providers: [
    ...[Admission, LargeBodyTurns, Observations],
    ...[Authentication, AuthenticationOutcomes, Activity, ActivityStore],
    ...[RequestLimits, FailedAuthentications, ConnectionLimit, RateLimiter, RedisBuckets],
    ...[OAuthClients, TokenRoutes],
    ...[SignatureBindings, SignatureBindingStore],
  ],
  exports: [Admission, Observations, Activity, RequestLimits, OAuthClients],
})
export class AdmissionModule {}
