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
/** Channel between the window of a sign-in and the page that opened it; the provider may cut off the opener. */
const CHANNEL = 'console-sign-in'
/** Time for an answer of the provider, seconds. */
const TIMEOUT = 10

const settings = document.querySelector<HTMLMetaElement>('meta[name="identity-provider"]')!

/** The provider at which operators sign in; null when they paste a token. */
export const identityProvider = JSON.parse(settings.content) as IdentityProvider | null

/** A sign-in that was begun. The verifier is worthless without the code that the provider sends. */
interface Begun {
  state: string
  verifier: string
}

/** A sign-in for which this tab has left its page. */
interface Left extends Begun {
  /** The page to show afterwards. */
  page: string
}

const discover = ({ issuer, client_id }: IdentityProvider): Promise<openid.Configuration> =>
  openid.discovery(new URL(issuer), client_id, undefined, openid.None(), {
    // The gateway takes an issuer with http:// on its own machine only.
    execute: issuer.startsWith('http:') ? [openid.allowInsecureRequests] : [],
    timeout: TIMEOUT,
  })

/** @returns the sign-in, and the address of the provider's page for it */
async function begin(provider: IdentityProvider): Promise<[begun: Begun, address: URL]> {
  const configuration = await answered(discover(provider))
  const begun: Begun = { state: openid.randomState(), verifier: openid.randomPKCECodeVerifier() }
  const address = openid.buildAuthorizationUrl(configuration, {
    redirect_uri: REDIRECT_ADDRESS,
    scope: provider.scope,
    state: begun.state,
    code_challenge: await openid.calculatePKCECodeChallenge(begun.verifier),
    code_challenge_method: 'S256',
  })
  return [begun, address]
}

/** @param address to which the provider sent the browser back */
async function exchange(provider: IdentityProvider, address: URL, { state, verifier }: Begun): Promise<string> {
  const configuration = await answered(discover(provider))
  const checks = { expectedState: state, pkceCodeVerifier: verifier }
  return (await answered(openid.authorizationCodeGrant(configuration, address, checks))).access_token
}

/** Leaves for the provider's page. @param page the page to show afterwards */
export async function leaveToSignIn(provider: IdentityProvider, page: string): Promise<void> {
  const [begun, address] = await begin(provider)
  sessionStorage.setItem(STORED_AS, JSON.stringify({ ...begun, page } satisfies Left))
  location.assign(address)
}

/**
 * Opens the provider's page in a window, so that this page keeps what was typed.
 * @param finish gets the token; called when the window has returned, or not at all
 */
export async function signInByWindow(
  provider: IdentityProvider,
  finish: (token: Promise<string>) => void,
): Promise<void> {
  // Opened before anything is awaited, or the browser takes it for an advertisement.
  const opened = window.open('about:blank', '_blank', 'popup,width=520,height=720')
  if (opened === null) throw new Error('The browser does not let this page open a window; allow it, and sign in again.')
  try {
    const [begun, address] = await begin(provider)
    const channel = new BroadcastChannel(CHANNEL)
    channel.onmessage = ({ data }: MessageEvent<string>) => {
      const returned = new URL(data)
      if (returned.searchParams.get('state') !== begun.state) return
      channel.close()
      opened.close()
      finish(exchange(provider, returned, begun))
    }
    opened.location.assign(address)
  } catch (error) {
    opened.close()
    throw error
  }
}

/** The page from which this tab has left to sign in. */
export function pageLeft(): string {
  const stored = sessionStorage.getItem(STORED_AS)
  return stored === null ? '/' : (JSON.parse(stored) as Left).page
}

/**
 * Exchanges the code in the address for a token, once, and takes it out of the address. In a window that another page
 * opened, that page does so instead and closes the window.
 * @throws Error when no sign-in was begun in this tab, or the provider refuses or does not answer
 */
export async function tokenOfReturn(provider: IdentityProvider): Promise<string> {
  const address = new URL(location.href)
  history.replaceState(null, '', REDIRECT_ADDRESS)
  const stored = sessionStorage.getItem(STORED_AS)
  sessionStorage.removeItem(STORED_AS)
  if (stored === null) {
    const channel = new BroadcastChannel(CHANNEL)
    channel.postMessage(address.href)
    channel.close()
    throw new Error('This sign-in is over, or was begun in another tab; sign in again.')
  }
  return exchange(provider, address, JSON.parse(stored) as Left)
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
