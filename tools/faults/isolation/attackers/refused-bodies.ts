import type { Socket } from 'node:net'
import { keepOpen, requestBytes } from './raw-connections.ts'
import type { Target } from '../target.ts'

const CONNECTIONS = 200
/** Time before a connection is opened again, ms. */
const AT_ONCE = 0
const SIZE = 60 * 1024
/** The same bytes are sent while their signature is valid, so that the attacker itself costs little, ms. */
const SIGN_EVERY = 60_000

/** Sends a body of 60 KiB on each connection, and reconnects as soon as it is refused. */
export function refusedBodies(target: Target): void {
  const partner = target.partners[0]!
  const body = `{"property_id":"${partner.connection}","updates":[${'{},'.repeat(SIZE / 3)}{}]}`
  let [bytes, signedAt] = [Buffer.alloc(0), -Infinity]
  const request = () => {
    if (performance.now() - signedAt > SIGN_EVERY) {
      bytes = Buffer.from(requestBytes({ method: 'POST', path: '/ari', body }, partner))
      signedAt = performance.now()
    }
    return bytes
  }
  const use = (socket: Socket) => {
    socket.once('data', () => socket.destroy())
    socket.write(request())
  }
  keepOpen(target, CONNECTIONS, use, AT_ONCE)
}
