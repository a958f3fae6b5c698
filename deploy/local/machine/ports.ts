// Free ports. Chosen outside the range from which systems draw the ports of outgoing connections, because such a
// port can be lost between the moment it is chosen and the moment a process listens on it.
import { randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:net'
import { portFromEnvironment, portKeys } from '../bootstrap/config.mjs'
import { say } from '../bootstrap/machine/progress.mjs'
import { Refusal } from '../bootstrap/machine/refusal.mjs'

const FIRST = 20_000
const LAST = 31_999
/** Lower ports are for root on most systems. */
const FIRST_FOR_ALL = 1_024

/** Name of one of the stack's ports: a key of `portKeys`. */
export type PortName = keyof typeof portKeys

/** A port that no other process can take. */
export interface HeldPort {
  port: number
  /** Releases the port for the process that wants it. */
  release: () => Promise<void>
}

function listen(port: number, host: string): Promise<Server | undefined> {
  return new Promise((resolve) => {
    // An incoming connection must not keep the server from being closed.
    const server = createServer((socket) => socket.destroy())
    server.once('error', () => resolve(undefined))
    server.listen({ port, host, exclusive: true }, () => resolve(server.unref()))
  })
}

const close = (server: Server | undefined): Promise<void> =>
  new Promise((resolve) => (server ? server.close(() => resolve()) : resolve()))

/** Takes a port and holds it until `release()`; undefined when it is in use, on loopback or on all addresses. */
export async function hold(port: number): Promise<HeldPort | undefined> {
  const everywhere = await listen(port, '0.0.0.0')
  await close(everywhere)
  const server = everywhere && (await listen(port, '127.0.0.1'))
  return server && { port, release: () => close(server) }
}

/** Holds a free port. */
export async function holdFree(): Promise<HeldPort> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const held = await hold(randomInt(FIRST, LAST + 1))
    if (held) return held
  }
  throw new Refusal(`No free port was found between ${FIRST} and ${LAST}: stop a process that listens there.`)
}

async function holdNamed({ key, port }: (typeof portKeys)[PortName]): Promise<HeldPort> {
  const wanted = portFromEnvironment(key)
  if (wanted === undefined) return (await hold(port)) ?? (await instead(key, port))
  if (!/^[1-9]\d{0,4}$/.test(wanted) || Number(wanted) > 65_535) {
    throw new Refusal(`${key}=${wanted} is not a port: set a number from 1 to 65535, or unset it.`)
  }
  const held = await hold(Number(wanted))
  if (held) return held
  const cause = Number(wanted) < FIRST_FOR_ALL ? 'is taken, or needs root' : 'is taken'
  throw new Refusal(`Port ${wanted} (${key}) ${cause}: stop what listens there, set another, or unset ${key}.`)
}

async function instead(key: string, port: number): Promise<HeldPort> {
  const held = await holdFree()
  say(`port ${port} is taken, using ${held.port} instead (set ${key} to choose)`)
  return held
}

/** Holds a port for each of `names` until the process that wants it is about to start. */
export async function holdPorts<Name extends PortName>(names: readonly Name[]): Promise<Record<Name, HeldPort>> {
  const held = {} as Record<Name, HeldPort>
  for (const name of names) held[name] = await holdNamed(portKeys[name])
  return held
}

const given = new Set<number>()

/** A port that is free now, and that this process has not been given before; another program may take it. */
export async function freePort(): Promise<number> {
  const { port, release } = await holdFree()
  await release()
  if (given.has(port)) return freePort()
  given.add(port)
  return port
}
