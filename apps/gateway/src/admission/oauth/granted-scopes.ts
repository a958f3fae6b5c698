import { ServiceError } from '@connectivity/contracts/errors'
import type { Scope } from '@connectivity/contracts/scopes'

/**
 * Scopes of a new token: all scopes of its client, or the requested subset.
 * @param asked scopes separated by spaces; absent means all
 * @throws ServiceError 400 `invalid_scope` when any other scope is requested
 */
export function grantedScopes(asked: string | undefined, allowed: readonly Scope[]): readonly Scope[] {
  const wanted = new Set((asked ?? '').split(' ').filter((scope) => scope !== ''))
  if (wanted.size === 0) return allowed
  const granted = allowed.filter((scope) => wanted.has(scope))
  if (granted.length === wanted.size) return granted
  throw new ServiceError(
    'invalid_scope',
    `scope names a scope that this client does not have; leave scope out, or choose from: ${allowed.join(' ')}.`,
  )
}
