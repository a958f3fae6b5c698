// Settings of the step that prepares the demo; docker-compose.yml sets them.
import { Refusal } from '../../local/bootstrap/machine/refusal.mjs'

function required(key: string): string {
  const value = process.env[key]
  if (!value) throw new Refusal(`${key} is required: docker-compose.yml sets it; run docker compose up.`)
  return value
}

/** DATABASE_URL: an administrator's URL; databases and roles are created with it. */
export const adminUrl = (): string => required('DATABASE_URL')

/** REDIS_PASSWORD: of the demo's Valkey. */
export const redisPassword = process.env.REDIS_PASSWORD ?? 'connectivity'

/** SECRETS_DIR: folder with the volumes of the services' secrets, each in its own subfolder. */
export const secretsDir = (): string => required('SECRETS_DIR')
