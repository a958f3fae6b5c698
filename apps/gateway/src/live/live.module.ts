import { Module } from '@nestjs/common'
import { Changes } from './changes.service.js'
import { KeyIdTags } from './key-id-tags.service.js'
import { LiveConnections } from './live-connections.service.js'
import { LiveCredentials } from './live-credentials.service.js'
import { LivePortalSessions } from './live-portal-sessions.service.js'
import { LiveTokens } from './live-tokens.service.js'

const parts = [Changes, KeyIdTags, LiveCredentials, LiveConnections, LiveTokens, LivePortalSessions]

/**
 * Database rows that every request needs, from memory: changes take effect within a second, or within 30 s while the
 * database does not answer.
 */
@Module({ providers: parts, exports: parts })
export class LiveModule {}
