import type { SendError } from './sender.js'

/** Meanings of the codes of Node, OpenSSL and undici, or of an error's name if it has no code. Others are unknown. */
const MEANINGS: [RegExp, SendError][] = [
  [/^(ECONNREFUSED)$/, 'connection_refused'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED)$/, 'connection_reset'],
  [/^(ETIMEDOUT)$/, 'timeout'],
  [/^(HTTPParserError|HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_INFO|UND_ERR_NOT_SUPPORTED)/, 'protocol_error'],
  [/^(ERR_TLS_|ERR_SSL_|EPROTO)/, 'tls_error'],
]

function meaningOf(error: unknown): SendError {
  // If several addresses failed, the last error stands for all.
  const { code, name } = (error instanceof AggregateError ? error.errors.at(-1) : error) as NodeJS.ErrnoException
  return MEANINGS.find(([pattern]) => pattern.test(code ?? name))?.[1] ?? 'network_error'
}

/** Failure of an attempt that got no answer. */
export class SendFailure extends Error {
  constructor(
    readonly meaning: SendError,
    options?: ErrorOptions,
  ) {
    super(`callback not reached: ${meaning}`, options)
    this.name = 'SendFailure'
  }

  /** The failure that an error of Node, OpenSSL or undici means; a `SendFailure` is returned as it is. */
  static of(error: unknown): SendFailure {
    return error instanceof SendFailure ? error : new SendFailure(meaningOf(error), { cause: error })
  }

  /** Every failure in a handshake is a TLS error, except a connection that ends. */
  static ofHandshake(error: unknown): SendFailure {
    const failure = SendFailure.of(error)
    if (failure.meaning === 'connection_reset') return failure
    return new SendFailure('tls_error', { cause: error })
  }
}
