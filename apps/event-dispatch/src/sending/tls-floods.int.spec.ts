import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { Authority, type Certificate } from '@connectivity/testing/certificates'
import { AddressRules, readRanges } from '../address-rules.js'
import { HttpSender } from './http-sender.client.js'

const RECEIVER = fileURLToPath(new URL('../../test/flooding-tls-receiver.ts', import.meta.url))
const HOST = 'hooks.test'
const rules = { addresses: new AddressRules(readRanges(['127.0.0.0/8'])), ports: new Set<number>(), testMode: true }
/** Most CPU time of an attempt, ms; without a limit it uses all of its time for tickets. */
const MOST_CPU = 150
const LIMIT = 3_000

describe('a receiver that floods below HTTP', () => {
  const authority = new Authority()
  const sender = new HttpSender(rules, async () => [{ address: '127.0.0.1', ttl: 60 }], LIMIT)
  let certificate: Certificate
  let child: ChildProcess | undefined
  const send = (port: number) =>
    sender.send({
      ...{ callback: 'con_1', url: `https://${HOST}:${port}/` },
      ...{ body: Buffer.from('{}'), headers: () => ({}) },
    })
  beforeAll(() => {
    setDefaultCACertificates([authority.certificate])
    certificate = authority.issue(HOST)
  })
  afterAll(() => {
    child?.kill('SIGKILL')
    sender.onApplicationShutdown()
    authority.remove()
  })

  it('with session tickets is a protocol_error, after a few reads', async () => {
    child = spawn(process.execPath, ['--no-warnings', RECEIVER], { stdio: ['pipe', 'pipe', 'inherit'] })
    child.stdin!.end(JSON.stringify(certificate))
    const [port] = (await once(child.stdout!, 'data')) as [Buffer]
    await send(Number(port))
    const started = process.cpuUsage()
    expect(await send(Number(port))).toMatchObject({ status: null, error: 'protocol_error' })
    const { user, system } = process.cpuUsage(started)
    expect((user + system) / 1_000).toBeLessThan(MOST_CPU)
  })

  it('with handshakes gets none after the first', async () => {
    const { promise: answer, resolve } = Promise.withResolvers<unknown>()
    const server = createServer({ ...certificate, maxVersion: 'TLSv1.2' }, (socket: TLSSocket) => {
      socket.on('error', resolve)
      socket.once('data', () => socket.renegotiate({}, () => resolve('a handshake')))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      expect(await send((server.address() as AddressInfo).port)).toMatchObject({ status: null })
      expect(await answer).toMatchObject({ code: 'ERR_SSL_NO_RENEGOTIATION' })
    } finally {
      server.close()
    }
  })
})
