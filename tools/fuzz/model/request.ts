// A request as the fuzzer draws, sends and prints it.

/** Placeholder for an unused idempotency key; each sending replaces it with a new one. */
export const FRESH_KEY = '<fresh>'

/** Placeholder for the token of the lane's portal link, in the form of one. */
export const LINK_TOKEN = 'the-token-of-the-portal-link-of-this-lane--'

/** Placeholder for the cookie of the lane's portal session. */
export const SESSION_COOKIE = '<session>'

/** Placeholder for the origin of the portal's pages. */
export const OWN_ORIGIN = '<own>'

/** Headers of a browser in the portal. */
export const PORTAL_HEADERS = { 'sec-fetch-site': 'same-origin', origin: OWN_ORIGIN, cookie: SESSION_COOKIE }

/** `wrong`: with the right key, over another body. */
export type Signature = 'good' | 'none' | 'wrong'

export interface Request {
  method: string
  /** Below the base path, with the query. */
  path: string
  headers: Record<string, string>
  body: string | Uint8Array | null
  signature: Signature
}

/** A request and its distortions; a good one has none. */
export interface Input {
  request: Request
  distortions: string[]
}

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** Size of the body in bytes. */
export const sizeOf = ({ body }: Request): number => (body === null ? 0 : Buffer.byteLength(body))

/** Characters of a body that are printed. */
const PRINTED = 200

/** The request as a line for people; a long body is cut. */
export function printed({ body, ...request }: Request): string {
  const text = body === null ? null : Buffer.from(body).toString()
  const shown = text !== null && text.length > PRINTED ? `${text.slice(0, PRINTED)}… (${text.length} characters)` : text
  return JSON.stringify({ ...request, body: shown })
}
