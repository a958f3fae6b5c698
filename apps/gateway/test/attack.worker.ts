// Connections of attackers, in a thread of their own so that they do not slow down the measuring thread.
import { connect, type Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import type { Attack, Seen } from './attack.js'

const attack = workerData as Attack & { port: number }
const zeros = Buffer.alloc(64 * 1024)
const seen: Seen = { connected: 0, ended: 0, answers: {} }
let isOver = false

/** Sends the bytes after the text, as fast as they are taken or one at a time. */
function push(socket: Socket): void {
  let left = attack.bytes
  const slowly = () => {
    if (!socket.writable || left-- <= 0) return
    socket.write(' ')
    setTimeout(slowly, attack.pause)
  }
  const fast = () => {
    while (left > 0 && socket.writable) {
      left -= zeros.length
      if (!socket.write(zeros)) return void socket.once('drain', fast)
    }
  }
  if (attack.pause > 0) slowly()
  else fast()
}

function open(index: number): void {
  if (isOver) return
  const localAddress = `127.0.0.${2 + Math.floor(index / attack.perAddress)}`
  const socket = connect({ host: '127.0.0.1', port: attack.port, localAddress, noDelay: true })
  const send = () => {
    socket.write(attack.text)
    push(socket)
  }
  socket.once('connect', () => {
    seen.connected += 1
    send()
  })
  socket.on('data', (chunk: Buffer) => {
    for (const [, status] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g)) {
      seen.answers[status!] = (seen.answers[status!] ?? 0) + 1
      if (attack.then === 'send again') send()
      if (attack.then === 'reconnect') socket.destroy()
    }
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
