// Free ports. Chosen outside the range from which systems draw the ports of outgoing connections, because such a
// port can be lost between the moment it is chosen and the moment a process listens on it.
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { portFromEnvironment, portKeys } from '../config.mjs'
import { say } from './progress.mjs'
import { Refusal } from './refusal.mjs'

const FIRST = 20_000
const LAST = 31_999

function listen(port, host) {
  return new Promise((resolve) => {
    // An incoming connection must not keep the server from being closed.
    const server = createServer((socket) => socket.destroy())
    server.once('error', () => resolve(undefined))
    server.listen({ port, host, exclusive: true }, () => resolve(server.unref()))
  })
}

const close = (server) => new Promise((resolve) => (server ? server.close(resolve) : resolve()))

/** Takes a port and holds it until `release()`; undefined when it is in use, on loopback or on all addresses. */
export async function hold(port) {
  const everywhere = await listen(port, '0.0.0.0')
  await close(everywhere)
  const server = everywhere && (await listen(port, '127.0.0.1'))
  return server && { port, release: () => close(server) }
}

/** Holds some free port. */
export async function holdFree() {
  for (let attempt = 0; attempt < 200; attempt++) {
    const held = await hold(randomInt(FIRST, LAST + 1))
    if (held) return held
  }
  throw new Refusal(`No free port was found between ${FIRST} and ${LAST}: stop something that listens there.`)
}

async function holdNamed({ key, port }) {
  const wanted = portFromEnvironment(key)
  if (wanted === undefined) return (await hold(port)) ?? (await instead(key, port))
  if (!/^[1-9]\d{0,4}$/.test(wanted) || Number(wanted) > 65_535) {
    throw new Refusal(`${key}=${wanted} is no port: set a number from 1 to 65535, or unset it.`)
  }
  const held = await hold(Number(wanted))
  if (held) return held
  throw new Refusal(`Port ${wanted} (${key}) is taken: stop what listens there, set another, or unset ${key}.`)
}

async function instead(key, port) {
  const held = await holdFree()
  say(`port ${port} is taken, using ${held.port} instead (set ${key} to choose)`)
  return held
}

/**
 * Holds a port for each of `names` (keys of `portKeys`) until the process that wants it is about to start.
 * @param {string[]} names
 * @returns {Promise<Record<string, { port: number, release: () => Promise<void> }>>}
 */
export async function holdPorts(names) {
  const held = {}
  for (const name of names) held[name] = await holdNamed(portKeys[name])
  return held
}
