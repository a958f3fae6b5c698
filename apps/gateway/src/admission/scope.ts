import { ServiceError } from '@connectivity/contracts/errors'
import type { Operation } from '@connectivity/contracts/operation'
import type { LiveCredential } from '../live/live-credential.js'

/** Reads whose scope also allows changes; they show no secret, so a viewer may make them. */
const SHOWN_TO_VIEWERS = new Set(['/properties/{id}/callback', '/production/request'])

type Called = Pick<Operation, 'method' | 'path' | 'scope'>

/** @throws ServiceError 403 `insufficient_scope` */
export function checkScope(operation: Called, credential: Pick<LiveCredential, 'person' | 'scopes'>): void {
  const { scope, method } = operation
  if (credential.person?.role === 'viewer') return checkViewer(operation, credential)
  if (scope === null || credential.scopes.includes(scope)) return
  throw new ServiceError(
    'insufficient_scope',
    credential.person
      ? `Your role does not allow ${method} here; ask operations for another link.`
      : `This credential was issued without the scope ${scope}; ask operations for one that has it.`,
  )
}

function checkViewer({ method, scope, path }: Called, { scopes }: Pick<LiveCredential, 'scopes'>): void {
  if (method === 'GET' && (scope === null || scopes.includes(scope) || SHOWN_TO_VIEWERS.has(path))) return
  throw new ServiceError(
    'insufficient_scope',
    'A viewer may only look; ask operations for a link with the role developer.',
  )
}
