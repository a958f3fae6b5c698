import type { BodySeal, IdempotentRequest } from '@connectivity/mutations'
import type { SecretVault } from './secret-vault.js'

type AnswerScope = Pick<IdempotentRequest, 'applicationId' | 'method' | 'path' | 'key'>

/** Context that binds a sealed answer: it opens only for the same caller, call and key. */
export const answerContext = ({ applicationId, method, path, key }: AnswerScope): string =>
  [applicationId, method, path, key].join('\n')

/** Encrypts the stored answer to one call at rest, because it contains a secret. */
export function answerSeal(vault: SecretVault, scope: AnswerScope): BodySeal {
  const context = answerContext(scope)
  return {
    seal: (body) => vault.sealText(body, context),
    open: (sealed) => vault.openText(sealed, context),
  }
}
