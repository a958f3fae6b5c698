import { Controller, Get } from '@nestjs/common'
import type { AuthHealth, UsedCredential } from '@connectivity/contracts/authentication'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { timestampOf } from '@connectivity/contracts/time'
import { type Admitted, AdmittedRequest } from '../../admission/admitted.js'
import { authMethodOf, type LiveCredential } from '../../live/live-credential.js'
import { PropertyStore } from '../properties/property.store.js'

/** GET /auth/health: reports whether, how and as which caller a request is authenticated. */
@Controller(BASE_PATH)
export class AuthHealthController {
  constructor(private readonly properties: PropertyStore) {}

  @Get('auth/health')
  async health(@AdmittedRequest() { credential, timestamp }: Admitted): Promise<AuthHealth> {
    const own = credential.ownConnectionOnly ? credential.connectionId : null
    const assigned = await this.properties.assigned(credential.applicationId, own)
    const now = new Date()
    return {
      schema_version: SCHEMA_VERSION,
      status: 'ok',
      ...methodOf(credential),
      scopes: credential.scopes,
      property_ids: assigned.map(({ connection_id }) => connection_id),
      server_time: now.toISOString(),
      clock_skew_seconds: timestamp === null ? null : Math.floor(now.getTime() / 1000) - timestamp,
      credential: credential.person ? null : usedCredential(credential, now),
    }
  }
}

type Caller = Omit<AuthHealth, 'schema_version' | 'status' | 'scopes' | 'property_ids' | 'server_time'>

function methodOf({ type, keyId, person, expiresAt }: LiveCredential): Pick<Caller, 'auth_method'> & Partial<Caller> {
  const auth_method = authMethodOf[type]
  if (person) return { auth_method, ...person, session_expires_at: expiresAt!.toISOString() }
  return type === 'oauth' ? { auth_method, client_id: keyId } : { auth_method, key_id: keyId }
}

const usedCredential = (credential: LiveCredential, now: Date): UsedCredential => ({
  created_at: credential.createdAt.toISOString(),
  expires_at: timestampOf(credential.expiresAt),
  rotation: rotationOf(credential, now),
})

/** The end of the older secret while two are live. */
function rotationOf({ secrets }: LiveCredential, now: Date): UsedCredential['rotation'] {
  const ending = secrets.find(({ endsAt }) => endsAt !== null && endsAt > now)
  return ending ? { old_secret_ends_at: ending.endsAt!.toISOString() } : null
}
