import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { CredentialType } from '@connectivity/contracts/operators-api'
import type { PortalRole } from '@connectivity/contracts/portal'
import type { RateLimits } from '@connectivity/contracts/rate-limits'
import type { Scope } from '@connectivity/contracts/scopes'

/** A person who uses the portal. */
export interface Person {
  email: string
  role: PortalRole
}

/** A credential as admission needs it: with decrypted keys, without any secret text. A session of the portal is one. */
export interface LiveCredential {
  /** The credential's id; for a session of the portal the id of its link. */
  credentialId: string
  type: CredentialType | 'portal'
  /** The key id of a signing key, the client id of an OAuth client, or the link of a session. */
  keyId: string
  applicationId: string
  /** The connection it was issued for; null for a session, which is for the whole application. */
  connectionId: string | null
  /** The person whose session it is; null for the credential of a program. */
  person: Person | null
  ownConnectionOnly: boolean
  scopes: readonly Scope[]
  /** Limits of its application. */
  limits: RateLimits
  createdAt: Date
  expiresAt: Date | null
  /** The newest first; an ended signing secret is among them for `ENDED_SECRET_DAYS`, until the next rotation. */
  secrets: readonly LiveSecret[]
}

/** Method by which callers prove that they hold a credential, for each type. */
export const authMethodOf = { signing: 'signature', oauth: 'bearer', portal: 'portal' } as const

/** Whether a text has the form of a key id or client id; any other is unknown without a database query. */
export const isKeyId = (text: string): boolean => /^[A-Za-z0-9_.~-]{1,128}$/.test(text)

/** Days for which an ended secret is kept, so that a refusal can say that the client signs with an ended secret. */
export const ENDED_SECRET_DAYS = 90
const DAY = 24 * 60 * 60 * 1_000

/** A secret of a credential: `key` is the HMAC key of a signing secret, the SHA-256 of a client secret. */
export interface LiveSecret {
  key: KeyObject
  /** Identifies the secret within its credential. */
  createdAt: Date
  endsAt: Date | null
}

/** The earliest of some times, ms since the epoch; Infinity when all are null. */
export const earliest = (...times: readonly (Date | null)[]): number =>
  Math.min(...times.map((time) => time?.getTime() ?? Infinity))

/** Secrets valid now: none for an unknown or expired credential or one of another type, none past its overlap. */
export const liveSecrets = (credential: LiveCredential | null, type: CredentialType, now: number): LiveSecret[] =>
  secretsOf(credential, type, now).filter(({ endsAt }) => !endsAt || endsAt.getTime() > now)

/** Secrets of a credential of any type that are valid now. A session of the portal has none. */
export const ownLiveSecrets = (credential: LiveCredential | null, now: number): LiveSecret[] =>
  !credential || credential.type === 'portal' ? [] : liveSecrets(credential, credential.type, now)

/** The secret that ended last, as long as it is kept; null for an unknown or expired credential. */
export function endedSecret(credential: LiveCredential | null, type: CredentialType, now: number): LiveSecret | null {
  const endOf = ({ endsAt }: LiveSecret): number => endsAt?.getTime() ?? Infinity
  const isRemembered = (secret: LiveSecret) => endOf(secret) <= now && endOf(secret) > now - ENDED_SECRET_DAYS * DAY
  const ended = secretsOf(credential, type, now).filter(isRemembered)
  return ended.toSorted((one, other) => endOf(other) - endOf(one))[0] ?? null
}

/** Secrets of a credential of this type that has not expired. */
function secretsOf(credential: LiveCredential | null, type: CredentialType, now: number): readonly LiveSecret[] {
  if (credential?.type !== type) return []
  const { expiresAt, secrets } = credential
  return expiresAt && expiresAt.getTime() <= now ? [] : secrets
}

/** Number of secrets that a refusal tries: as many as a credential has during a rotation. */
const TRIES = 2
const DUMMY_KEY = createSecretKey(randomBytes(32))

/**
 * Returns the secret that passes, trying the newest first. A refusal tries a dummy key for each missing secret, so that
 * it takes the same time for an unknown credential, a known one and one in rotation.
 */
export function passingSecret(
  secrets: readonly LiveSecret[],
  passes: (key: KeyObject) => boolean,
): LiveSecret | undefined {
  const found = secrets.find(({ key }) => passes(key))
  if (found) return found
  for (let tried = secrets.length; tried < TRIES; tried++) passes(DUMMY_KEY)
  return undefined
}
