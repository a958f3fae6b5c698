// Attackers without a credential.
import { inventedCredential, keepOpen, requestBytes } from './raw-connections.ts'
import type { Target } from '../target.ts'

const MIB = 1024 * 1024
const HOLDERS = 400
const TOKEN_SENDERS = 4
const PIPELINES = 10
const PIPELINED = 136 * 1024

/** Announces bodies of 1 MiB on many connections, sends all but the last byte, and waits. */
export function unfinishedBodies(target: Target): void {
  const body = Buffer.alloc(MIB - 1, ' ')
  const headers = { 'content-length': String(MIB) }
  keepOpen(target, HOLDERS, (socket) => {
    socket.resume()
    socket.write(requestBytes({ method: 'POST', path: '/ari', headers: { ...headers, ...inventedCredential() } }))
    socket.write(body)
  })
}

/** Asks for tokens with bodies of 1 MiB, and with the largest that the path takes. */
export function tokenBodies(target: Target): void {
  const bodies = [MIB - 64, 16 * 1024 - 64].map((size) => `{"grant_type":"x","a":[${'{},'.repeat(size / 3)}{}]}`)
  let sent = 0
  keepOpen(target, TOKEN_SENDERS, (socket) => {
    const next = () => socket.write(requestBytes({ method: 'POST', path: '/oauth/token', body: bodies[sent++ % 2] }))
    socket.on('data', next)
    next()
  })
}

/** Sends 136 KiB of requests at once that are all refused, again and again. */
export function pipelinedRefusals(target: Target): void {
  keepOpen(target, PIPELINES, (socket) => {
    const one = () => requestBytes({ method: 'GET', path: '/reservations', headers: inventedCredential() })
    const count = Math.floor(PIPELINED / one().length)
    const send = () => socket.write(Array.from({ length: count }, one).join(''))
    let answers = 0
    socket.on('data', (chunk: Buffer) => {
      answers += chunk.toString('latin1').split('HTTP/1.1 ').length - 1
      if (answers >= count) {
        answers = 0
        send()
      }
    })
    send()
  })
}
