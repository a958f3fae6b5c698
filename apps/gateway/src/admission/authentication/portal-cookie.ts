import { hash } from 'node:crypto'
import { isThisMachine } from '@connectivity/service-kit/text'
import { headerValues } from '@connectivity/service-kit/http'

/** Form of a link's token and of a cookie: 256 random bits or a tagged secret, in base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/

/** Key under which a secret is stored; null for a text that cannot be one. */
export const portalHash = (secret: string): Buffer | null =>
  SECRET.test(secret) ? hash('sha256', secret, 'buffer') : null

/** Browsers accept the prefix `__Host-` only with Secure, and Secure only over TLS or on loopback. */
const isSecure = (own: string): boolean => own.startsWith('https:') || !isThisMachine(own)
const nameFor = (own: string): string => (isSecure(own) ? '__Host-portal' : 'portal')

/**
 * The value of our cookie.
 * @param own our address as the client knows it
 * @returns null without a cookie; for a repeated one an empty text, which matches no session
 */
export function readPortalCookie(rawHeaders: readonly string[], own: string): string | null {
  const start = `${nameFor(own)}=`
  const cookies = headerValues(rawHeaders, 'cookie').flatMap((header) => header.split(';').map((one) => one.trim()))
  const ours = cookies.filter((cookie) => cookie.startsWith(start))
  return ours.length > 1 ? '' : (ours[0]?.slice(start.length) ?? null)
}

const attributes = (own: string, maxAge: number): string =>
  `Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${isSecure(own) ? '; Secure' : ''}`

/** `Set-Cookie` of a new session. @param hours length of the session */
export const portalCookie = (own: string, secret: string, hours: number): string =>
  `${nameFor(own)}=${secret}; ${attributes(own, hours * 60 * 60)}`

/** `Set-Cookie` that makes the browser forget the session. */
export const endedCookie = (own: string): string => `${nameFor(own)}=; ${attributes(own, 0)}`
