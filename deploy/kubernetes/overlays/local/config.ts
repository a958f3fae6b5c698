// Settings of make-secrets.ts.
import { fileURLToPath } from 'node:url'

/** SECRETS_DIR: where the secrets are kept. */
export const secretsDir = process.env.SECRETS_DIR ?? fileURLToPath(new URL('.state', import.meta.url))
