// Settings of the step that prepares the demo; docker-compose.yml has them.
import { Refusal } from '../../local/bootstrap/machine/refusal.mjs'

function required(key: string): string {
  const value = process.env[key]
  if (!value) throw new Refusal(`${key} is required: docker-compose.yml sets it.`)
  return value
}

/** DATABASE_URL: an administrator's URL; databases and roles are created with it. */
export const adminUrl = (): string => required('DATABASE_URL')

/** SECRETS_DIR: where the volumes with the services' secrets are, each in a folder of its own. */
export const secretsDir = (): string => required('SECRETS_DIR')
