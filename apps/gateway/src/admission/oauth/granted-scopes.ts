import { ServiceError } from '@connectivity/contracts/errors'
import type { Scope } from '@connectivity/contracts/scopes'

/**
 * What a token may do: all that its client may, or the part that was asked for.
 * @param asked scopes separated by spaces; absent means all
 * @throws ServiceError 400 `invalid_scope` when anything else is asked for
 */
export function grantedScopes(asked: string | undefined, allowed: readonly Scope[]): readonly Scope[] {
  const wanted = new Set((asked ?? '').split(' ').filter((scope) => scope !== ''))
  if (wanted.size === 0) return allowed
  const granted = allowed.filter((scope) => wanted.has(scope))
  if (granted.length === wanted.size) return granted
  throw new ServiceError(
    'invalid_scope',
    `scope holds something that this client was not issued for; leave scope out, or choose from: ${allowed.join(' ')}.`,
  )
}
