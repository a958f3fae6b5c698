import type { SendError } from './sender.js'

/** Codes of Node, OpenSSL and undici (of an error without one its name), by what they mean for a delivery; of other codes nothing is known. */
const MEANINGS: [RegExp, SendError][] = [
  [/^(ECONNREFUSED)$/, 'connection_refused'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED)$/, 'connection_reset'],
  [/^(ETIMEDOUT)$/, 'timeout'],
  [/^(HTTPParserError|HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_INFO|UND_ERR_NOT_SUPPORTED)/, 'protocol_error'],
  [/^(ERR_TLS_|ERR_SSL_|EPROTO)/, 'tls_error'],
]

function meaningOf(error: unknown): SendError {
  // Of several addresses tried in vain the last one speaks for all.
  const { code, name } = (error instanceof AggregateError ? error.errors.at(-1) : error) as NodeJS.ErrnoException
  return MEANINGS.find(([pattern]) => pattern.test(code ?? name))?.[1] ?? 'network_error'
}

/** An attempt that got no answer. */
export class SendFailure extends Error {
  constructor(
    readonly meaning: SendError,
    options?: ErrorOptions,
  ) {
    super(`callback not reached: ${meaning}`, options)
    this.name = 'SendFailure'
  }

  static of(error: unknown): SendFailure {
    return error instanceof SendFailure ? error : new SendFailure(meaningOf(error), { cause: error })
  }

  /** Whatever goes wrong in a handshake is a fault of TLS, except a connection that ends. */
  static ofHandshake(error: unknown): SendFailure {
    const failure = SendFailure.of(error)
    if (failure.meaning === 'connection_reset') return failure
    return new SendFailure('tls_error', { cause: error })
  }
}
