import { ServiceError } from '@connectivity/contracts/errors'
import { headerValues } from '@connectivity/service-kit/http'
import { formDecoded, invalidTokenRequest, type TokenParameters } from './token-request.js'

/** Id and secret that a client presents. */
export interface ClientCredentials {
  clientId: string
  clientSecret: string
}

/** 401 with the challenge of RFC 6749 §5.2; the same for every cause. */
export const invalidClient = (): ServiceError =>
  new ServiceError(
    'invalid_client',
    'The client is not known or its secret is not valid. Send client_id and client_secret as issued, either in the body ' +
      'or as "Authorization: Basic base64(client_id:client_secret)".',
    { headers: { 'www-authenticate': 'Basic realm="partner-connectivity", charset="UTF-8"' } },
  )

const BASIC = /^Basic +([A-Za-z0-9+/_-]+={0,2}) *$/i
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes id and secret, which were form-encoded before they were joined (RFC 6749 §2.3.1); null if malformed. */
function readBasic(header: string): ClientCredentials | null {
  try {
    const text = utf8.decode(Buffer.from(BASIC.exec(header)![1]!, 'base64'))
    const colon = text.indexOf(':')
    if (colon === -1) return null
    return { clientId: formDecoded(text.slice(0, colon)), clientSecret: formDecoded(text.slice(colon + 1)) }
  } catch {
    return null
  }
}

/**
 * Reads `client_secret_basic` or `client_secret_post`, exactly one of them.
 * @param rawHeaders names and values as received, alternating
 * @throws ServiceError 400 `invalid_request` for several at once, 401 `invalid_client` for none or half of one
 */
export function readClientCredentials(rawHeaders: readonly string[], parameters: TokenParameters): ClientCredentials {
  const { client_id, client_secret } = parameters
  const [authorization, ...more] = headerValues(rawHeaders, 'Authorization')
  if (more.length > 0) throw invalidTokenRequest('Authorization', 'repeated', 'Send Authorization only once.')
  if (authorization !== undefined) return basicOnly(authorization, parameters)
  if (client_id === undefined || client_secret === undefined) throw invalidClient()
  return { clientId: client_id, clientSecret: client_secret }
}

function basicOnly(authorization: string, { client_id, client_secret, root }: TokenParameters): ClientCredentials {
  if (client_secret !== undefined) {
    const message = 'Send the client secret either in the Authorization header or in the body, not in both.'
    throw invalidTokenRequest(`${root}client_secret`, 'two_mechanisms', message)
  }
  const basic = readBasic(authorization)
  if (!basic || basic.clientId === '' || basic.clientSecret === '') throw invalidClient()
  if (client_id === undefined || client_id === basic.clientId) return basic
  throw invalidTokenRequest(
    `${root}client_id`,
    'mismatch',
    'client_id in the body is not the one in the Authorization header.',
  )
}
