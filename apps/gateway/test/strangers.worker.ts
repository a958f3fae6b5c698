// Connections of strangers, in a thread of their own so that they do not slow down the measuring thread.
import { connect } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

interface Attack {
  port: number
  /** Connections held at once, spread over addresses 127.0.0.2 and up, `perAddress` on each. */
  connections: number
  perAddress: number
  /** Text that each connection sends first, and the number of zero bytes after it. */
  text: string
  bytes: number
  /** Whether a connection that has ended is followed by another. */
  again: boolean
}

const attack = workerData as Attack
const zeros = Buffer.alloc(64 * 1024)
const seen = { connected: 0, ended: 0, answers: {} as Record<string, number> }
let isOver = false

function open(index: number): void {
  if (isOver) return
  const localAddress = `127.0.0.${2 + Math.floor(index / attack.perAddress)}`
  const socket = connect({ host: '127.0.0.1', port: attack.port, localAddress })
  let left = attack.bytes
  const push = () => {
    while (left > 0 && socket.writable) {
      left -= zeros.length
      if (!socket.write(zeros)) return void socket.once('drain', push)
    }
  }
  socket.once('connect', () => {
    seen.connected += 1
    socket.write(attack.text)
    push()
  })
  socket.on('data', (chunk: Buffer) => {
    for (const [, status] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g))
      seen.answers[status!] = (seen.answers[status!] ?? 0) + 1
  })
  socket.on('error', () => undefined)
  socket.once('close', () => {
    seen.ended += 1
    if (attack.again) setImmediate(open, index)
  })
}

for (let index = 0; index < attack.connections; index++) open(index)
parentPort!.once('message', () => {
  isOver = true
  parentPort!.postMessage(seen)
})
