import { OPERATORS_PATH } from './operators-api.js'
import { Line } from './validation.js'

/** The only path of the operators' interface that needs no token. */
export const SIGN_IN_PATH = `${OPERATORS_PATH}/sign-in`

/** Body of POST /sign-in: the address to which the identity provider sent an operator's browser back. */
export class FinishSignIn {
  /** The whole address, with its query. */
  @Line(4000)
  address: string

  /** `state` of the authorization request. */
  @Line(200)
  state: string

  /** `code_verifier` of the authorization request (PKCE), which carried only its SHA-256. */
  @Line(128)
  code_verifier: string
}

/**
 * Settings of the console's sign-in; everything but the method is null for pasted tokens.
 * @public The description of the operators' interface has it by its name.
 */
export interface SignInWay {
  /** `token`: operators paste a token; `oidc`: they sign in at their identity provider. */
  method: 'token' | 'oidc'
  /** The provider's page to which the browser goes. */
  authorization_endpoint: string | null
  client_id: string | null
  scope: string | null
}

/**
 * An operator's token of the identity provider.
 * @public The description of the operators' interface has it by its name.
 */
export interface OperatorToken {
  token: string
}
