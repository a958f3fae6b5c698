import type { BodySeal, IdempotentRequest } from '@connectivity/database/idempotency'
import type { SecretVault } from './secret-vault.js'

type AnswerScope = Pick<IdempotentRequest, 'applicationId' | 'method' | 'path' | 'key'>

/** What a stored answer belongs to: sealed with it, it opens for the same caller, call and key only. */
export const answerContext = ({ applicationId, method, path, key }: AnswerScope): string =>
  [applicationId, method, path, key].join('\n')

/** Keeps the stored answer to one call unreadable at rest, because it reveals a secret. */
export function answerSeal(vault: SecretVault, scope: AnswerScope): BodySeal {
  const context = answerContext(scope)
  return {
    seal: (body) => vault.sealText(body, context),
    open: (sealed) => vault.openText(sealed, context),
  }
}
