/** Keys that must not be in a service's environment: docker-compose.yml passes their values as files. */
export const SECRET_KEYS = ['DATABASE_URL', 'IDENTITY_KEY', 'IDENTITY_KEYS', 'KEY_ENCRYPTION_KEYS', 'CURSOR_KEYS']
