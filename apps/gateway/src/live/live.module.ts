import { Module } from '@nestjs/common'
import { AccessTokenStore } from './access-token.store.js'
import { Changes } from './changes.service.js'
import { KeyIdTags } from './key-id-tags.service.js'
import { LiveConnections } from './live-connections.service.js'
import { LiveCredentials } from './live-credentials.service.js'
import { LivePortalSessions } from './live-portal-sessions.service.js'
import { LiveTokens } from './live-tokens.service.js'
import { PortalSessionStore } from './portal-session.store.js'

const parts = [
  ...[Changes, KeyIdTags, LiveCredentials, LiveConnections, LiveTokens, AccessTokenStore],
  ...[LivePortalSessions, PortalSessionStore],
]

/** Database rows that every request needs, from memory, no older than a second. */
@Module({ providers: parts, exports: parts })
export class LiveModule {}
