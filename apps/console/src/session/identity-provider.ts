// Sign-in at the operators' identity provider: authorization code with PKCE (RFC 7636).
import { answerOf } from '@connectivity/ui'
import { api, type Schemas } from '../api/client.ts'

/** Path of the page to which the provider sends the browser back, below the console's own. */
export const CALLBACK_PAGE = '/callback'

const REDIRECT_ADDRESS = `${location.origin}/console${CALLBACK_PAGE}`
const STORED_AS = 'console-sign-in'
const RANDOM_BYTES = 32

/** A sign-in that was begun in this tab. The verifier is worthless without the code that the provider sends. */
interface Begun {
  state: string
  verifier: string
  /** The page to show afterwards. */
  page: string
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const random = (): string => base64url(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)))

const challengeOf = async (verifier: string): Promise<string> =>
  base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))

/** Leaves for the provider's page. @param page the page to show afterwards */
export async function leaveToSignIn(way: Schemas['SignInWay'], page: string): Promise<void> {
  const begun: Begun = { state: random(), verifier: random(), page }
  const address = new URL(way.authorization_endpoint!)
  const asked = {
    response_type: 'code',
    client_id: way.client_id!,
    redirect_uri: REDIRECT_ADDRESS,
    scope: way.scope!,
    state: begun.state,
    code_challenge: await challengeOf(begun.verifier),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value)
  sessionStorage.setItem(STORED_AS, JSON.stringify(begun))
  location.assign(address)
}

/**
 * Exchanges the code in the address for a token, once, and takes it out of the address.
 * @returns the token, and the page to show
 * @throws Error when no sign-in was begun in this tab; RequestError when the provider refuses
 */
export async function tokenOfReturn(): Promise<{ token: string; page: string }> {
  const address = location.href
  history.replaceState(null, '', REDIRECT_ADDRESS)
  const stored = sessionStorage.getItem(STORED_AS)
  sessionStorage.removeItem(STORED_AS)
  if (stored === null) throw new Error('This sign-in is over, or was begun in another tab; sign in again.')
  const { state, verifier, page } = JSON.parse(stored) as Begun
  const { token } = await answerOf(api.POST('/sign-in', { body: { address, state, code_verifier: verifier } }))
  return { token, page }
}
