import { setDefaultCACertificates } from 'node:tls'
import { eventually } from '@connectivity/testing/eventually'
import { Authority } from '@connectivity/testing/certificates'
import { ScriptedReceiver } from '../../test/scripted-receiver.js'
import { AddressRules, readRanges } from '../address-rules.js'
import { type CallbackTarget, callbackTarget } from './callback-target.js'
import { HttpSender } from './http-sender.client.js'
import { checkRemote, connectVetted, VettedAddresses } from './vetted-connector.js'

const rules = {
  addresses: new AddressRules(readRanges(['127.0.0.1', '127.0.0.3'])),
  ports: new Set<number>(),
  testMode: true,
}
const vettedOf = (of: () => string[]) => new VettedAddresses({ of: async () => of() } as never, rules.addresses)
const target = (url: string) => callbackTarget(url, rules) as CallbackTarget

describe('a connection', () => {
  const receivers: ScriptedReceiver[] = []
  const listen = async (host: string) => {
    const receiver = await new ScriptedReceiver().start(host)
    receivers.push(receiver)
    return receiver
  }
  afterEach(() => receivers.splice(0).forEach((receiver) => receiver.stop()))

  it('goes to the addresses that were vetted, even if the name resolves to others on this machine', async () => {
    const judged = await listen('127.0.0.3')
    const { socket } = await connectVetted(
      target(judged.url('localhost')),
      vettedOf(() => ['127.0.0.3']),
    )
    expect(socket.remoteAddress).toBe('127.0.0.3')
    socket.destroy()
  })

  it('resolves the addresses once, so that no second answer can replace the vetted one', async () => {
    const inside = await listen('127.0.0.2')
    let questions = 0
    const rebinding = vettedOf(() => [questions++ % 2 === 0 ? '127.0.0.1' : '127.0.0.2'])
    for (let attempt = 0; attempt < 10; attempt += 1)
      await expect(connectVetted(target(inside.url('rebind.test')), rebinding)).rejects.toMatchObject({
        meaning: attempt % 2 === 0 ? 'connection_refused' : 'blocked_address',
      })
    expect([questions, inside.connections]).toEqual([10, 0])
  })

  it('tries the next address when one does not answer', async () => {
    const receiver = await listen('127.0.0.3')
    const { socket } = await connectVetted(
      target(receiver.url('two.test')),
      vettedOf(() => ['127.0.0.1', '127.0.0.3']),
    )
    expect(socket.remoteAddress).toBe('127.0.0.3')
    socket.destroy()
  })

  it.each([['127.0.0.2'], ['::ffff:127.0.0.1'], [undefined]])(
    'that reached %s instead is closed before a byte is written',
    (remoteAddress) => {
      expect(() => checkRemote({ remoteAddress }, ['127.0.0.1'])).toThrow('blocked_address')
      expect(() => checkRemote({ remoteAddress: '127.0.0.1' }, ['127.0.0.1'])).not.toThrow()
    },
  )
})

describe('TLS', () => {
  const authority = new Authority()
  const sender = new HttpSender(rules, async () => [{ address: '127.0.0.1', ttl: 60 }])
  const send = async (receiver: ScriptedReceiver, host: string) => {
    await receiver.start()
    try {
      return await sender.send({
        callback: 'con_1',
        url: receiver.url(host),
        body: Buffer.from('{}'),
        headers: () => ({}),
      })
    } finally {
      await eventually(() => expect(receiver.requests.length === 0 && receiver.open > 0).toBe(false))
      receiver.stop()
    }
  }
  beforeAll(() => setDefaultCACertificates([authority.certificate]))
  afterAll(() => {
    sender.onApplicationShutdown()
    authority.remove()
  })

  it('is verified against the name, which the receiver gets', async () => {
    const receiver = new ScriptedReceiver(undefined, authority.issue('hooks.test'))
    expect(await send(receiver, 'hooks.test.')).toMatchObject({ status: 204, error: null })
    expect([receiver.requests.length, receiver.serverNames]).toEqual([1, ['hooks.test']])
  })

  it.each([
    ['for another name', () => authority.issue('other.test')],
    ['self-signed', () => authority.selfSigned('hooks.test')],
    ['expired', () => authority.issue('hooks.test', -1)],
  ])('with a certificate that is %s gets no request', async (_what, issue) => {
    const receiver = new ScriptedReceiver(undefined, issue())
    expect(await send(receiver, 'hooks.test')).toMatchObject({ status: null, error: 'tls_error', timedOut: false })
    expect(receiver.requests).toEqual([])
  })

  it('fails with a receiver of plain HTTP', async () => {
    const receiver = await new ScriptedReceiver((socket) => void socket.write('HTTP/1.1 400 No\r\n\r\n')).start()
    const url = receiver.url('hooks.test').replace('http:', 'https:')
    const outcome = sender.send({ callback: 'con_1', url, body: Buffer.from('{}'), headers: () => ({}) })
    // It waits for a request that does not come: a handshake is not one.
    await eventually(() => expect(receiver.connections).toBe(1))
    receiver.stop()
    expect(await outcome).toMatchObject({ status: null, error: 'connection_reset' })
    expect(receiver.requests).toEqual([])
  })
})
