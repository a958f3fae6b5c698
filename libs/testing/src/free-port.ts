import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Outside the range from which systems draw the ports of outgoing connections: such a port can be lost before it is used. */
const FIRST = 20_000
const LAST = 31_999
const TRIES = 200
/** More than a machine has workers: each Jest worker takes ports of its own residue class. */
const WORKERS = 64

const taken = new Set<number>()

/** @returns a TCP port of the loopback interface that nothing listens on and that no other suite of this run is given */
export async function freePort(): Promise<number> {
  const worker = Number(process.env.JEST_WORKER_ID ?? 0) % WORKERS
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const port = FIRST + WORKERS * randomInt(Math.floor((LAST - FIRST) / WORKERS)) + worker
    if (taken.has(port)) continue
    taken.add(port)
    if (await isFree(port)) return port
  }
  throw new Error(`no free port between ${FIRST} and ${LAST}`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen({ port, host: '0.0.0.0', exclusive: true })
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
    return true
  } catch {
    return false
  }
}
