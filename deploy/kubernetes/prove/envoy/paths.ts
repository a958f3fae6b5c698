// Compares the gateway's answers to signed requests with unusual paths, direct and through a proxy.
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { BASE_PATH, signedHeaders, type SignedConnection } from '@connectivity/toolkit/partner'

/** Unusual path suffixes below the base path; the signature covers each byte. */
const PATHS = [
  '/reservations',
  '/reservations/',
  '/reservations//R1',
  '//reservations',
  '/reservations/R%2F1',
  '/reservations/R%2f1',
  '/reservations/R%5C1',
  '/reservations/%7Euser',
  '/reservations/%41%42',
  '/reservations/caf%C3%A9',
  '/reservations/caf%c3%a9',
  '/reservations/R%201',
  '/reservations/R+1',
  "/reservations/(R1)!*'",
  '/reservations/R;v=1',
  '/reservations/R:1@x,y&z=$',
  '/reservations/...',
  '/reservations/R%00',
  '/reservations/./R1',
  '/reservations/x/../R1',
  '/reservations/%2e%2e/R1',
  '/reservations/R\\1',
]
const QUERIES = ['', '?', '?a=%2F&&b=//', '?a=b?c', '?a=%zz', '?a=/../b']

/** Status and error code of an answer. */
type Answer = string

/** Address that requests are sent to. */
export interface Address {
  host: string
  port: number
  /** Name in Host and, over TLS, of the server; undefined: without TLS. */
  name?: string
}

const open = ({ host, port, name }: Address): Socket =>
  name === undefined ? connectTcp(port, host) : connectTls({ host, port, servername: name, rejectUnauthorized: false })

/** Sends a target exactly as given. */
function ask(address: Address, target: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const lines = [`GET ${target} HTTP/1.1`, `host: ${address.name ?? 'localhost'}`, 'connection: close']
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  return new Promise((resolve, reject) => {
    const socket = open(address)
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
    socket.once('error', reject).once('close', () => {
      const [, status] = /^HTTP\/1\.1 (\d+)/.exec(text) ?? []
      if (status === undefined) return reject(new Error(`no answer to GET ${target}`))
      const [, code] = /"code":"(\w+)"/.exec(text) ?? []
      resolve(`${status} ${code ?? ''}`.trim())
    })
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  })
}

/** A target whose answers differ. */
interface Difference {
  target: string
  direct: Answer
  proxied: Answer
}

/** Result of a comparison. */
export interface Compared {
  targets: number
  differences: Difference[]
}

/**
 * Sends each target with a fresh signature to both addresses.
 * @throws Error if a signature is rejected even for an ordinary path
 */
export async function compare(
  direct: Address,
  proxied: Address,
  { property_id, signing }: SignedConnection,
): Promise<Compared> {
  const differences: Difference[] = []
  const targets = [
    ...PATHS.map((path) => ({ path, query: `?property_id=${property_id}` })),
    ...QUERIES.map((query) => ({ path: '/reservations', query })),
  ]
  for (const [index, { path, query }] of targets.entries()) {
    const target = `${BASE_PATH}${path}${query}`
    const headers = { ...signedHeaders('GET', BASE_PATH + path, '', signing) }
    const [one, other] = [await ask(direct, target, headers), await ask(proxied, target, headers)]
    if (index === 0 && one !== '200') throw new Error(`GET ${target} is answered ${one}, not 200`)
    if (one !== other) differences.push({ target, direct: one, proxied: other })
  }
  return { targets: targets.length, differences }
}
