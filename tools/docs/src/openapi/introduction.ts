import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description })

/** The three headers together are one requirement; a bearer token or a browser's session is another. */
export const securitySchemes = {
  KeyId: header('X-Service-Key-Id', 'Id of your signing key, `key_…`.'),
  Timestamp: header('X-Service-Timestamp', 'Unix time in seconds, at most 300 off.'),
  Signature: header(
    'X-Service-Signature',
    'HMAC-SHA256 in hex, keyed with the signing secret, over four lines joined by LF: method, path without query, timestamp, SHA-256 of the body in hex.',
  ),
  Bearer: { type: 'http', scheme: 'bearer', description: 'Access token from POST /oauth/token.' },
  PortalSession: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-portal',
    description: 'Session of a person in the portal; only for pages of the portal, see its sign-in.',
  },
}

/** Contact for readers of the description. */
export const contact = { name: 'Connectivity operations' }

/** Text before the calls. */
export const about = readFileSync(fileURLToPath(new URL('../../introduction.md', import.meta.url)), 'utf8').trim()
