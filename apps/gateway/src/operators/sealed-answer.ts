import type { IdempotentRequest } from '@connectivity/database/idempotency'

/** What a stored answer belongs to: sealed with it, it opens for the same operator, call and key only. */
export const answerContext = ({
  applicationId,
  method,
  path,
  key,
}: Pick<IdempotentRequest, 'applicationId' | 'method' | 'path' | 'key'>): string =>
  [applicationId, method, path, key].join('\n')
