import type { Socket } from 'node:net'

/** Index of the callback that Node's parser calls for each head: `HTTPParser.kOnHeadersComplete`. */
const ON_HEAD = 2
/** Answer of that callback to an upgrade: the parser passes over the rest of what it was given. */
const PASS_OVER = 2

/** The parser of a connection; Node uses it for other connections afterwards. */
type Parser = Record<typeof ON_HEAD, () => number>

/**
 * Lets the parser pass over everything behind the request that it has parsed last. Node makes 900 bytes of objects for
 * each request, answered or not, and keeps them until the connection has closed; one read holds 3,600 requests.
 */
export function stopParsing(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: Parser | null }
  if (!parser) return
  const onHead = parser[ON_HEAD]
  parser[ON_HEAD] = () => PASS_OVER
  // Before Node's own listener, which gives the parser away.
  socket.prependListener('close', () => (parser[ON_HEAD] = onHead))
}
