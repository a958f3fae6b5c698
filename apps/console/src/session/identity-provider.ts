// Sign-in at the operators' identity provider: OpenID Connect, authorization code with PKCE.
import * as openid from 'openid-client'

/** Settings of the sign-in, from the gateway's configuration. */
export interface IdentityProvider {
  issuer: string
  client_id: string
  scope: string
}

/** Path of the page to which the provider sends the browser back, below the console's own. */
export const CALLBACK_PAGE = '/callback'

const REDIRECT_ADDRESS = `${location.origin}/console${CALLBACK_PAGE}`
const STORED_AS = 'console-sign-in'
/** Time for an answer of the provider, seconds. */
const TIMEOUT = 10

const settings = document.querySelector<HTMLMetaElement>('meta[name="identity-provider"]')!

/** The provider at which operators sign in; null when they paste a token. */
export const identityProvider = JSON.parse(settings.content) as IdentityProvider | null

/** A sign-in that was begun in this tab. The verifier is worthless without the code that the provider sends. */
interface Begun {
  state: string
  verifier: string
  /** The page to show afterwards. */
  page: string
}

const discover = ({ issuer, client_id }: IdentityProvider): Promise<openid.Configuration> =>
  openid.discovery(new URL(issuer), client_id, undefined, openid.None(), {
    // The gateway takes an issuer with http:// on its own machine only.
    execute: issuer.startsWith('http:') ? [openid.allowInsecureRequests] : [],
    timeout: TIMEOUT,
  })

/** Leaves for the provider's page. @param page the page to show afterwards */
export async function leaveToSignIn(provider: IdentityProvider, page: string): Promise<void> {
  const configuration = await answered(discover(provider))
  const begun: Begun = { state: openid.randomState(), verifier: openid.randomPKCECodeVerifier(), page }
  const address = openid.buildAuthorizationUrl(configuration, {
    redirect_uri: REDIRECT_ADDRESS,
    scope: provider.scope,
    state: begun.state,
    code_challenge: await openid.calculatePKCECodeChallenge(begun.verifier),
    code_challenge_method: 'S256',
  })
  sessionStorage.setItem(STORED_AS, JSON.stringify(begun))
  location.assign(address)
}

/**
 * Exchanges the code in the address for a token, once, and takes it out of the address.
 * @returns the token, and the page to show
 * @throws Error when no sign-in was begun in this tab, or the provider refuses or does not answer
 */
export async function tokenOfReturn(provider: IdentityProvider): Promise<{ token: string; page: string }> {
  const address = new URL(location.href)
  history.replaceState(null, '', REDIRECT_ADDRESS)
  const stored = sessionStorage.getItem(STORED_AS)
  sessionStorage.removeItem(STORED_AS)
  if (stored === null) throw new Error('This sign-in is over, or was begun in another tab; sign in again.')
  const { state, verifier, page } = JSON.parse(stored) as Begun
  const configuration = await answered(discover(provider))
  const checks = { expectedState: state, pkceCodeVerifier: verifier }
  const { access_token: token } = await answered(openid.authorizationCodeGrant(configuration, address, checks))
  return { token, page }
}

/** openid-client's code for an answer with an unexpected `state` or issuer. */
const OTHER_ANSWER = 'OAUTH_INVALID_RESPONSE'
const UNREACHABLE = `The identity provider does not answer; try again. It has to allow requests from ${location.origin}.`

/** @throws Error that says what the operator can do */
async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError)
      throw new Error(`The identity provider refused this sign-in (${error.error}); sign in again.`, { cause: error })
    if (error instanceof openid.ClientError && error.code === OTHER_ANSWER)
      throw new Error('The answer of the identity provider does not belong to this sign-in; sign in again.')
    throw new Error(UNREACHABLE, { cause: error })
  }
}
