import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { eventually } from '@connectivity/testing/eventually'
import { answer, ScriptedReceiver, type Script } from '../../test/scripted-receiver.js'
import { AddressRules, readRanges } from '../address-rules.js'
import type { DnsAnswer } from './host-addresses.js'
import { HttpSender } from './http-sender.client.js'
import type { SendOptions } from './sender.js'

const KIB = 1024
/** Addresses by name; tests change them. */
const names = new Map<string, string[]>()
const resolved: string[] = []
const resolve = async (name: string): Promise<DnsAnswer[]> => {
  resolved.push(name)
  return (names.get(name) ?? []).map((address) => ({ address, ttl: 0 }))
}
const senderFor = (...allow: string[]) =>
  new HttpSender(
    { addresses: new AddressRules(readRanges(allow)), ports: new Set(), testMode: allow.length > 0 },
    resolve,
  )
let sender: HttpSender
let receiver: ScriptedReceiver
beforeEach(async () => {
  sender = senderFor('127.0.0.1', '::1')
  receiver = await new ScriptedReceiver().start()
  resolved.length = 0
})
afterEach(async () => {
  sender.onApplicationShutdown()
  receiver.stop()
})

const request = (url = receiver.url(), callback = 'con_1') => ({
  callback,
  url,
  body: Buffer.from('{"a":"é"}'),
  headers: () => ({ 'service-event-id': 'evt_1' }),
})
const send = (script: Script, options?: SendOptions) => {
  receiver.script = script
  return sender.send(request(), options)
}
const raw =
  (text: string): Script =>
  (socket) =>
    void socket.write(text)

describe('a delivery', () => {
  it('is one POST of exactly the bytes given', async () => {
    expect(await send(answer(200, 'thanks'))).toEqual({
      status: 200,
      retryAfterSeconds: null,
      error: null,
      timedOut: false,
      at: expect.any(Number),
      durationMs: expect.any(Number),
      body: Buffer.from('thanks'),
    })
    const [{ method, path, headers, body }] = receiver.requests as [ScriptedReceiver['requests'][number]]
    expect([method, path, body.toString()]).toEqual(['POST', '/hook', '{"a":"é"}'])
    expect(headers).toMatchObject({
      host: new URL(receiver.url()).host,
      'content-type': 'application/json',
      'content-length': '10',
      'accept-encoding': 'identity',
      'service-event-id': 'evt_1',
    })
  })

  it.each([200, 201, 202, 204, 299, 300, 304, 400, 401, 404, 410, 429, 500, 503, 599])(
    'has the status %d of its answer',
    async (status) => {
      expect(await send(answer(status))).toMatchObject({ status, error: null, timedOut: false })
    },
  )

  it.each([301, 302, 303, 307, 308])('follows no redirect %d', async (status) => {
    const elsewhere = await new ScriptedReceiver().start()
    expect(await send(answer(status, '', { location: elsewhere.url() }))).toMatchObject({ status, error: null })
    expect(await send(answer(status, '', { location: '/other' }))).toMatchObject({ status, error: null })
    expect([elsewhere.connections, receiver.requests.length]).toEqual([0, 2])
    elsewhere.stop()
  })

  it('returns the Retry-After of a 429 or 503, if it is readable', async () => {
    const after = async (value: string) => (await send(answer(429, '', { 'retry-after': value }))).retryAfterSeconds
    expect(await after('120')).toBe(120)
    const inAMinute = await after(new Date(Date.now() + 60_000).toUTCString())
    expect(inAMinute).toBeGreaterThan(50)
    expect(inAMinute).toBeLessThanOrEqual(60)
    expect(await after('soon')).toBeNull()
  })

  it('skips informational answers', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(3)
    expect(await send(raw(`${hints}HTTP/1.1 204 Done\r\n\r\n`))).toMatchObject({ status: 204 })
  })

  it('whose headers cannot be made ends, and its connection serves the next one', async () => {
    await send(answer(204))
    const headers = () => {
      throw new Error('no key')
    }
    expect(await sender.send({ ...request(), headers })).toMatchObject({ status: null, error: 'network_error' })
    expect(await send(answer(204))).toMatchObject({ status: 204 })
    expect(receiver.connections).toBe(1)
  })

  it('keeps its connection for the next one, and one per concurrent delivery', async () => {
    for (let index = 0; index < 5; index += 1) await send(answer(200, 'ok'))
    expect(receiver.connections).toBe(1)
    await Promise.all(Array.from({ length: 8 }, () => sender.send(request())))
    expect(receiver.connections).toBe(8)
    await Promise.all(Array.from({ length: 8 }, () => sender.send(request())))
    expect(receiver.connections).toBe(8)
  })

  it('is ended by its signal', async () => {
    const abort = new AbortController()
    const sent = send(() => abort.abort(), { signal: abort.signal })
    expect(await sent).toMatchObject({ status: null, error: 'aborted', timedOut: false })
    expect(await sender.send(request(), { signal: abort.signal })).toMatchObject({ error: 'aborted' })
    expect(receiver.requests).toHaveLength(1)
  })
})

describe("an answer's body", () => {
  it('is returned as sent, never decompressed', async () => {
    for (const wantsBody of [true, false]) {
      const { body } = await send(answer(200, '{"challenge":"x"}'), { wantsBody })
      expect(body.toString()).toBe('{"challenge":"x"}')
    }
    const zipped = gzipSync('{"challenge":"x"}')
    const outcome = await send(answer(200, zipped, { 'content-encoding': 'gzip' }), { wantsBody: true })
    expect(outcome.body).toEqual(zipped)
  })

  it('is kept up to 16 KiB if wanted, else 1 KiB, however large it is, and does not change the status', async () => {
    const huge = Buffer.alloc(64 * 1024 * KIB, 'x')
    for (const wantsBody of [true, false]) {
      const outcome = await send(answer(200, huge), { wantsBody })
      expect(outcome).toMatchObject({ status: 200, error: null })
      expect(outcome.body).toHaveLength(wantsBody ? 16 * KIB : KIB)
    }
    await eventually(() => expect(receiver.open).toBe(0))
    const bomb = gzipSync(huge)
    expect(await send(answer(500, bomb, { 'content-encoding': 'gzip' }))).toMatchObject({ status: 500 })
  })

  it('is not read any further if it is wanted and has no end', async () => {
    const flood: Script = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const more = (): void => {
        while (!socket.destroyed && socket.write(Buffer.alloc(64 * KIB)));
        socket.once('drain', more)
      }
      more()
    }
    const outcome = await send(flood, { wantsBody: true })
    expect(outcome.body).toHaveLength(16 * KIB)
    expect(outcome.durationMs).toBeLessThan(10_000)
  })

  it('does not delay the outcome when it never ends', async () => {
    const drip: Script = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      const timer = setInterval(() => socket.write('1\r\nx\r\n'), 20)
      socket.once('close', () => clearInterval(timer))
    }
    const outcome = await send(drip)
    expect(outcome).toMatchObject({ status: 200, error: null })
    expect(outcome.durationMs).toBeLessThan(5_000)
    await eventually(() => expect(receiver.open).toBe(0))
    expect(receiver.connections).toBe(1)
  })

  it('may break off or lie about its length: the status stands', async () => {
    const cut: Script = (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc')
    expect(await send(cut)).toMatchObject({ status: 200, error: null })
    expect(await send(raw('HTTP/1.1 503 No\r\ntransfer-encoding: chunked\r\n\r\nnonsense\r\n'))).toMatchObject({
      status: 503,
    })
  })
})

describe('the error without an answer', () => {
  it.each<[string, string, Script]>([
    ['connection_reset', 'a reset', (socket) => socket.resetAndDestroy()],
    ['connection_reset', 'an end', (socket) => socket.end()],
    ['connection_reset', 'half a head', (socket) => socket.end('HTTP/1.1 200 OK\r\nserver: x\r\n')],
    ['protocol_error', 'something else than HTTP', raw('220 mail.example.com ESMTP\r\n')],
    [
      'protocol_error',
      'a head without end',
      raw(`HTTP/1.1 200 OK\r\n${'x-padding: yyyyyyyyyyyyyyyy\r\n'.repeat(2_000)}`),
    ],
  ])('is %s after %s', async (error, _what, script) => {
    expect(await send(script)).toMatchObject({ status: null, error, timedOut: false })
  })

  it('is connection_refused if no process listens', async () => {
    const gone = await new ScriptedReceiver().start()
    gone.stop()
    expect(await sender.send(request(gone.url()))).toMatchObject({ status: null, error: 'connection_refused' })
  })

  it('closes the connection, so that no other delivery uses it', async () => {
    await send((socket) => socket.resetAndDestroy())
    expect(await send(answer(204))).toMatchObject({ status: 204 })
    expect(receiver.connections).toBe(2)
  })
})

describe('a name', () => {
  const named = (host: string) => request(receiver.url(host))

  it('is resolved at each attempt, and every address must be allowed', async () => {
    names.set('hooks.test', ['127.0.0.1'])
    expect(await sender.send(named('hooks.test'))).toMatchObject({ status: 204 })
    await delay(1_100)
    names.set('hooks.test', ['127.0.0.1', '127.0.0.2'])
    expect(await sender.send(named('hooks.test'))).toMatchObject({ status: null, error: 'blocked_address' })
    expect([receiver.requests.length, resolved]).toEqual([1, ['hooks.test', 'hooks.test']])
  })

  it('leads to this machine when it is localhost, over the family that answers', async () => {
    expect(await sender.send(named('localhost'))).toMatchObject({ status: 204 })
    expect(await sender.send(named('a.LOCALHOST.'))).toMatchObject({ status: 204 })
    expect(resolved).toEqual([])
  })

  it.each<[string, string[]]>([
    ['10.0.0.1', ['10.0.0.1']],
    ['nothing', []],
    ['a public address where http is for opened ones only', ['8.8.8.8']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['0.0.0.0', ['0.0.0.0']],
  ])('that leads to %s is refused without revealing the address', async (_what, addresses) => {
    names.set('inside.test', addresses)
    expect(await sender.send(named('inside.test'))).toEqual({
      status: null,
      retryAfterSeconds: null,
      error: 'blocked_address',
      timedOut: false,
      at: expect.any(Number),
      durationMs: expect.any(Number),
      body: Buffer.alloc(0),
    })
    expect(receiver.connections).toBe(0)
  })

  it('is refused if the current rules no longer allow its URL', async () => {
    const strict = senderFor()
    expect(await strict.send(request())).toMatchObject({ error: 'blocked_address' })
    expect(receiver.connections).toBe(0)
    strict.onApplicationShutdown()
  })
})
