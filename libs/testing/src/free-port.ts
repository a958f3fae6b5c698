import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Bounds of the ports, below the ephemeral ones: an outgoing connection could take one of those before the test. */
const FIRST = 20_000
const LAST = 31_999
const TRIES = 200
/** More than the number of Jest workers on any machine: each takes the ports of its own residue class. */
const WORKERS = 64

const taken = new Set<number>()

/** @returns a free TCP port of the loopback interface that no other suite of this run gets */
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
