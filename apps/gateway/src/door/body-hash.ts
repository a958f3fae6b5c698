import { bodyHash, EMPTY_BODY_HASH } from '@connectivity/signing/canonical-request'
import type { FastifyRequest } from 'fastify'

const hashes = new WeakMap<Buffer, string>()

/** Lower-case hex SHA-256 of a partner's body, taken once: its signature and the internal identity both cover it. */
export function rawBodyHash({ rawBody }: FastifyRequest): string {
  if (rawBody.length === 0) return EMPTY_BODY_HASH
  const known = hashes.get(rawBody)
  if (known !== undefined) return known
  const fresh = bodyHash(rawBody)
  hashes.set(rawBody, fresh)
  return fresh
}
