import { Controller, Get, Req } from '@nestjs/common'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import type { FastifyRequest } from 'fastify'
import type { LiveCredential } from '../credentials/live-credentials.js'
import { PropertyStore } from '../properties/property.store.js'

/** GET /auth/health, api.md §1: whether, how and as whom the caller is authenticated. */
@Controller(BASE_PATH)
export class AuthHealthController {
  constructor(private readonly properties: PropertyStore) {}

  @Get('auth/health')
  async health(@Req() { caller }: FastifyRequest): Promise<object> {
    const { credential, timestamp } = caller
    const own = credential.ownConnectionOnly ? credential.connectionId : null
    const assigned = await this.properties.assigned(credential.applicationId, own)
    const now = new Date()
    return {
      schema_version: SCHEMA_VERSION,
      status: 'ok',
      ...methodOf(credential),
      scopes: credential.scopes,
      property_ids: assigned.map(({ property_id }) => property_id),
      server_time: now,
      clock_skew_seconds: timestamp === null ? null : Math.floor(now.getTime() / 1000) - timestamp,
      credential: {
        created_at: credential.createdAt,
        expires_at: credential.expiresAt,
        rotation: rotationOf(credential, now),
      },
    }
  }
}

const methodOf = ({ type, keyId }: LiveCredential): object =>
  type === 'oauth' ? { auth_method: 'bearer', client_id: keyId } : { auth_method: 'signature', key_id: keyId }

/** The end of the older secret while two are live. */
function rotationOf({ secrets }: LiveCredential, now: Date): { old_secret_ends_at: Date } | null {
  const ends = secrets.map(({ endsAt }) => endsAt).filter((endsAt) => endsAt !== null && endsAt > now) as Date[]
  return ends.length > 0 ? { old_secret_ends_at: ends[0]! } : null
}
