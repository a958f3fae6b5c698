/** What a service must not be told in its environment: the keys whose values docker-compose.yml hands over as files. */
export const SECRET_KEYS = ['DATABASE_URL', 'IDENTITY_KEY', 'IDENTITY_KEYS', 'KEY_ENCRYPTION_KEYS', 'CURSOR_KEYS']
