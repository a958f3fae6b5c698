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
/** Longest attempt, ms; a flood without a limit lasts as long. */
const LIMIT = 25_000

describe('a receiver that floods records of TLS', () => {
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

  it.each([
    ['session tickets', 'tickets', 0],
    ['key updates', 'key-updates', 0],
    ['key updates after good answers on an earlier connection', 'key-updates', 100],
  ])(
    'with %s fails with a protocol_error before its time is over',
    async (_what, kind, wellAnswered) => {
      const args = ['--no-warnings', RECEIVER, kind, String(wellAnswered)]
      child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
      child.stdin!.end(JSON.stringify(certificate))
      const [port] = (await once(child.stdout!, 'data')) as [Buffer]
      for (let count = 0; count < wellAnswered; count++) expect((await send(Number(port))).status).toBe(204)
      expect(await send(Number(port))).toMatchObject({ status: null, error: 'protocol_error', timedOut: false })
      child.kill('SIGKILL')
    },
    40_000,
  )

  it('is refused a second handshake', async () => {
    const { promise: answer, resolve } = Promise.withResolvers<unknown>()
    const server = createServer({ ...certificate, maxVersion: 'TLSv1.2' }, (socket: TLSSocket) => {
      socket.on('error', (error) => {
        resolve(error)
        socket.destroy()
      })
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
