import type { Provider } from '@nestjs/common'
import { purge } from '@connectivity/database'
import { IdempotencyRetentionStore } from './idempotency-retention.store.js'

/** Providers of a service that keeps answers to mutations: they delete the old ones. */
export const idempotencyRetention: Provider[] = [
  IdempotencyRetentionStore,
  purge('answers to old mutations', IdempotencyRetentionStore, (store) => store.purge()),
]
