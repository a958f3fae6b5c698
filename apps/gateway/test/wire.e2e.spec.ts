import type { Server } from 'node:http'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { eventually } from '@connectivity/testing/eventually'
import { GatewayUnderTest } from './gateway-under-test.js'
import { type Partner, signatureHeaders } from './partner.js'
import { headOf, type RawAnswer, RawClient } from './raw-client.js'

const KIB = 1024
const PATH = `${BASE_PATH}/properties`
const GET = [`GET ${PATH} HTTP/1.1`, 'Host: h']
const POST = [`POST ${BASE_PATH}/ari HTTP/1.1`, 'Host: h']
const CLOSE = 'Connection: close'
/** Well-formed headers under an invented key id: the body is read before they are refused. */
const FORGED = Object.entries(
  signatureHeaders({ key_id: 'key_invented', signing_secret: 'invented' }, `${BASE_PATH}/ari`, { method: 'POST' }),
).map(([name, value]) => `${name}: ${value}`)
const CHUNKED = [...POST, ...FORGED, 'Transfer-Encoding: chunked']

describe('the wire', () => {
  const gateway = new GatewayUnderTest()
  let partner: Partner
  let page: string

  beforeAll(async () => {
    await gateway.start()
    const connection = await gateway.pilotConnection(await gateway.approvedApplication())
    partner = gateway.partner(await gateway.signingKey(connection))
    page = `/reservations?property_id=${connection}`
  })
  afterAll(() => gateway.stop())

  const signed = (path: string, options = {}): string[] =>
    Object.entries(signatureHeaders(partner.key, path, options)).map(([name, value]) => `${name}: ${value}`)

  const ask = async (...parts: (string | Buffer)[]): Promise<RawAnswer[]> =>
    (await (await RawClient.open(gateway.publicOrigin)).send(...parts)).untilEnd()

  /** Expects that no request has passed: an earlier one would have reached the service before one sent now. */
  const expectNoneSince = async (before: number): Promise<void> => {
    gateway.feed.script = (_request, response) => response.end('{}')
    expect((await partner.get(page)).status).toBe(200)
    expect(gateway.feed.requests.length).toBe(before + 1)
  }

  const refused = (status: number, code: string) => ({
    status,
    head: expect.stringMatching(/\r\ncache-control: private, no-store\r\n/i),
    json: { schema_version: '1.0.0', error: { code } },
  })
  const malformed = refused(400, 'invalid_request')

  describe('a request', () => {
    it.each([
      ['a bare LF after the request line', `GET ${PATH} HTTP/1.1\nHost: h\r\n\r\n`],
      ['a bare LF after a header', `GET ${PATH} HTTP/1.1\r\nHost: h\nA: b\r\n\r\n`],
      ['a bare LF at the end', `GET ${PATH} HTTP/1.1\r\nHost: h\r\n\n`],
      ['a bare CR in a header', headOf(...GET, 'A: b\rc')],
      ['a folded header', headOf(...GET, 'A: b\r\n c')],
      ['a space before the first header', headOf(GET[0]!, ' Host: h')],
      ['a space before the colon', headOf(...GET, 'A : b')],
      ['NUL in a header', headOf(...GET, 'A: b\0c')],
      ['NUL in the target', headOf(`GET ${PATH}\0 HTTP/1.1`, 'Host: h')],
      ['bytes above ASCII in the target', headOf(`GET ${PATH}/\xc3\xa9 HTTP/1.1`, 'Host: h')],
      ['a header without colon', headOf(...GET, 'A')],
      ['a header without name', headOf(...GET, ': b')],
      ['HTTP/0.9', `GET ${PATH}\r\n\r\n`],
      ['HTTP/1.2', headOf(`GET ${PATH} HTTP/1.2`, 'Host: h')],
      ['HTTP/2.0 without its preface', headOf(`GET ${PATH} HTTP/2.0`, 'Host: h')],
      ["HTTP/2's preface", 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
      ['a method in lower case', headOf(`get ${PATH} HTTP/1.1`, 'Host: h')],
      ['an unknown method', headOf(`FETCH ${PATH} HTTP/1.1`, 'Host: h')],
      ['CONNECT', headOf('CONNECT h:443 HTTP/1.1', 'Host: h')],
      ['an asterisk', headOf('OPTIONS * HTTP/1.1', 'Host: h')],
      ['an absolute target', headOf(`GET http://h${PATH} HTTP/1.1`, 'Host: h')],
      ['a fragment', headOf(`GET ${PATH}#a HTTP/1.1`, 'Host: h')],
      ['no Host', headOf(GET[0]!)],
      ['two Hosts', headOf(...GET, 'Host: h')],
      ['a second Host behind 400 headers', headOf(...GET, CLOSE, ...Array<string>(400).fill('a:'), 'Host: h')],
      ['two lengths', headOf(...POST, 'Content-Length: 1', 'Content-Length: 1') + 'a'],
      ['a list of lengths', headOf(...POST, 'Content-Length: 1, 1') + 'a'],
      ['a signed length', headOf(...POST, 'Content-Length: +1') + 'a'],
      ['an empty length', headOf(...POST, 'Content-Length:') + 'a'],
      ['a length without end', headOf(...POST, `Content-Length: ${'9'.repeat(30)}`)],
      ['length and chunks', headOf(...POST, 'Content-Length: 1', 'Transfer-Encoding: chunked') + '0\r\n\r\n'],
      ['chunks and length', headOf(...POST, 'Transfer-Encoding: chunked', 'Content-Length: 1') + '0\r\n\r\n'],
      ['another coding before chunks', headOf(...POST, 'Transfer-Encoding: gzip, chunked', CLOSE) + '0\r\n\r\n'],
      ['chunks before another coding', headOf(...POST, 'Transfer-Encoding: chunked, gzip') + '0\r\n\r\n'],
      ['the identity coding', headOf(...POST, 'Transfer-Encoding: identity') + '0\r\n\r\n'],
      ['a chunk of no size', headOf(...CHUNKED) + 'zz\r\na\r\n0\r\n\r\n'],
      ['a chunk of negative size', headOf(...CHUNKED) + '-1\r\na\r\n0\r\n\r\n'],
      ['a chunk longer than it says', headOf(...CHUNKED) + '1\r\nab\r\n0\r\n\r\n'],
      ['a chunk ended by a bare LF', headOf(...CHUNKED) + '1\na\n0\n\n'],
    ])('with %s is refused as malformed', async (_what, bytes) => {
      expect(await ask(bytes)).toMatchObject([malformed])
    })

    it.each([
      ['HTTP/1.0', () => headOf(`GET ${PATH} HTTP/1.0`, 'Host: h', ...signed(PATH))],
      ['a head in single bytes', () => headOf(...GET, ...signed(PATH), CLOSE).split('')],
      [
        'an offer to upgrade, as if it were not there',
        () => headOf(...GET, ...signed(PATH), 'Connection: upgrade, close', 'Upgrade: websocket'),
      ],
      ['an unknown expectation', () => headOf(...GET, ...signed(PATH), 'Expect: miracles', CLOSE)],
    ])('with %s is accepted', async (_what, bytes) => {
      expect(await ask(...[bytes()].flat())).toMatchObject([{ status: 200, json: { schema_version: '1.0.0' } }])
    })

    it('behind others on its connection is answered in order', async () => {
      gateway.feed.script = (_request, response) => void setTimeout(() => response.end('{"slow":true}'), 50)
      const target = BASE_PATH + page
      const slow = headOf(`GET ${target} HTTP/1.1`, 'Host: h', ...signed(target))
      const nothing = headOf(`GET ${BASE_PATH}/nothing HTTP/1.1`, 'Host: h', ...signed(`${BASE_PATH}/nothing`))
      const found = await ask(slow + nothing + headOf(...GET, ...signed(PATH), CLOSE))
      expect(found.map(({ status }) => status)).toEqual([200, 404, 200])
    })

    it('behind one with a refused request line is dropped', async () => {
      const before = gateway.feed.requests.length
      const target = BASE_PATH + page
      const next = headOf(`GET ${target} HTTP/1.1`, 'Host: h', ...signed(target))
      expect(await ask(headOf(GET[0]!) + next)).toMatchObject([malformed])
      await expectNoneSince(before)
    })

    it('before malformed input is answered first', async () => {
      gateway.feed.script = (_request, response) => void setTimeout(() => response.end('{"slow":true}'), 50)
      const target = BASE_PATH + page
      const slow = headOf(`GET ${target} HTTP/1.1`, 'Host: h', ...signed(target))
      const raw = await RawClient.open(gateway.publicOrigin)
      await raw.send(slow + 'nonsense\r\n\r\n', 'more nonsense')
      await raw.untilEnd().catch(() => undefined)
      expect(raw.received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
      expect(raw.received).toMatch(/^HTTP\/1\.1 200 .*"slow":true.*HTTP\/1\.1 400 .*"invalid_request"/s)
    })
  })

  describe('sizes', () => {
    const filler = (size: number, ...lines: string[]) => 'a'.repeat(size - headOf(...lines).length)
    const line = (size: number) => {
      const path = `${BASE_PATH}/`
      return `${path}${'a'.repeat(size - `GET ${path} HTTP/1.1\r\n`.length)}`
    }

    it('of a request line, and of line and headers together, end at 16 KiB', async () => {
      const target = line(16 * KIB - 500)
      expect(await ask(headOf(`GET ${target} HTTP/1.1`, 'Host: h', ...signed(target), CLOSE))).toMatchObject([
        refused(404, 'not_found'),
      ])
      const long = headOf(`GET ${line(16 * KIB + 1)} HTTP/1.1`, 'Host: h', CLOSE)
      expect(await ask(long)).toMatchObject([refused(414, 'uri_too_long')])
      const lines = [...GET, ...signed(PATH), CLOSE]
      const exact = [...lines, `X: ${filler(16 * KIB, ...lines, 'X: ')}`]
      expect(await ask(headOf(...exact))).toMatchObject([{ status: 200 }])
      expect(await ask(headOf(...exact, 'Y:'))).toMatchObject([refused(431, 'request_header_fields_too_large')])
    })

    it('of header fields end at 500', async () => {
      const lines = [...GET, ...signed(PATH), CLOSE]
      const full = [...lines, ...Array<string>(500 - lines.length + 1).fill('a:')]
      expect(await ask(headOf(...full))).toMatchObject([{ status: 200 }])
      for (const more of [['a:'], ['Host: h'], Array<string>(2_500).fill('a:')])
        expect(await ask(headOf(...full, ...more))).toMatchObject([refused(431, 'request_header_fields_too_large')])
    })

    const packets = (text: string, size: number) => text.match(new RegExp(`.{1,${size}}`, 'gs'))!

    it.each([
      ['17 KiB in small packets', 17 * KIB, 700],
      ['100 KiB in small packets', 100 * KIB, 700],
      ['100 KiB at once', 100 * KIB, 1e6],
      ['1 MiB at once', 1024 * KIB, 2e6],
    ])('of a line get 414, of headers 431: %s', async (_what, size, packet) => {
      const long = headOf(`GET ${line(size)} HTTP/1.1`, 'Host: h', CLOSE)
      expect(await ask(...packets(long, packet))).toMatchObject([refused(414, 'uri_too_long')])
      const many = headOf(...GET, CLOSE, ...Array<string>(size / 64).fill(`X: ${'a'.repeat(59)}`))
      expect(await ask(...packets(many, packet))).toMatchObject([refused(431, 'request_header_fields_too_large')])
    })

    it.each([
      ['announced', (size: number) => headOf(...POST, `Content-Length: ${size}`), (data: Buffer) => [data]],
      [
        'chunked',
        () => headOf(...CHUNKED),
        (data: Buffer) => [`${data.length.toString(16)}\r\n`, data, '\r\n0\r\n\r\n'],
      ],
    ])('of a body over 1 MiB get 413, which reaches a client that is still sending: %s', async (_how, head, body) => {
      const data = Buffer.alloc(8 * 1024 * KIB, 'a')
      const raw = await RawClient.open(gateway.publicOrigin)
      await raw.send(head(data.length), ...body(data))
      expect(await raw.untilEnd()).toMatchObject([refused(413, 'payload_too_large')])
      expect(raw.received).toMatch(/\r\nconnection: close\r\n/i)
      await raw.untilClosed()
    })

    it('of a body are refused before 100 Continue', async () => {
      const head = headOf(...POST, `Content-Length: ${2 * 1024 * KIB}`, 'Expect: 100-continue')
      expect(await ask(head)).toMatchObject([refused(413, 'payload_too_large')])
    })

    it('do not let a request through that follows a refused body', async () => {
      const before = gateway.feed.requests.length
      const target = BASE_PATH + page
      const next = headOf(`GET ${target} HTTP/1.1`, 'Host: h', ...signed(target))
      const large = 2 * 1024 * KIB
      const found = await ask(headOf(...POST, `Content-Length: ${large}`), Buffer.alloc(large, 'a'), next)
      expect(found).toMatchObject([refused(413, 'payload_too_large')])
      await expectNoneSince(before)
    })
  })

  it('tells a client that waits with its body to continue', async () => {
    const raw = await RawClient.open(gateway.publicOrigin)
    const headers = signed(PATH, { body: 'body' })
    await raw.send(headOf(...GET, ...headers, 'Content-Length: 4', 'Expect: 100-continue', CLOSE))
    await eventually(() => expect(raw.received).toBe('HTTP/1.1 100 Continue\r\n\r\n'))
    await raw.send('body')
    expect((await raw.untilEnd()).map(({ status }) => status)).toEqual([100, 200])
  })

  describe('deadlines', () => {
    const servers = () => gateway.app.getHttpServer() as Server
    beforeAll(() => {
      expect(servers()).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000, timeout: 60_000 })
      Object.assign(servers(), { headersTimeout: 300, requestTimeout: 800 })
    })
    afterAll(() => void Object.assign(servers(), { headersTimeout: 10_000, requestTimeout: 30_000 }))

    it.each([
      ['no byte', ''],
      ['half a request line', 'GET /api'],
      ['half of the headers', `${GET.join('\r\n')}\r\nA: b`],
      ['half of the body', headOf(...POST, ...FORGED, 'Content-Length: 10') + 'half'],
      ['half of the chunks', headOf(...CHUNKED) + '4\r\nhalf\r\n'],
    ])('apply to a client that has sent only %s: 408 and close', async (_what, bytes) => {
      const raw = await RawClient.open(gateway.publicOrigin)
      if (bytes !== '') await raw.send(bytes)
      expect(await raw.untilEnd()).toMatchObject([refused(408, 'request_timeout')])
      expect(raw.received).toMatch(/\r\nconnection: close\r\n/i)
      await raw.untilClosed()
    })

    it('do not let a body through that arrives after its refusal', async () => {
      const target = BASE_PATH + page
      const before = gateway.feed.requests.length
      const headers = signed(target, { body: 'late body!' })
      const raw = await RawClient.open(gateway.publicOrigin)
      await raw.send(headOf(`GET ${target} HTTP/1.1`, 'Host: h', ...headers, 'Content-Length: 10'), 'late ')
      await eventually(() => expect(raw.received).toMatch(/^HTTP\/1\.1 408/))
      await raw.send('body!')
      expect(await raw.untilEnd()).toHaveLength(1)
      await expectNoneSince(before)
    })
  })

  it.each([
    ['two Hosts', headOf(...GET, 'Host: h'), malformed],
    ['a long line', headOf(`GET /${'a'.repeat(17 * KIB)} HTTP/1.1`, 'Host: h'), refused(414, 'uri_too_long')],
    ['long headers', headOf(...GET, `X: ${'a'.repeat(17 * KIB)}`), refused(431, 'request_header_fields_too_large')],
    ['CONNECT', headOf('CONNECT h:443 HTTP/1.1', 'Host: h'), malformed],
    ['nonsense', 'nonsense\r\n\r\n', malformed],
    [
      'a large body',
      headOf('POST /ops/v1/applications HTTP/1.1', 'Host: h', `Content-Length: ${2 * 1024 * KIB}`),
      refused(413, 'payload_too_large'),
    ],
  ])('has the same rules for operators: %s', async (_what, bytes, expected) => {
    expect(await (await (await RawClient.open(gateway.privateOrigin)).send(bytes)).untilEnd()).toMatchObject([expected])
  })

  it('tells operators to continue with their bodies, too', async () => {
    const raw = await RawClient.open(gateway.privateOrigin)
    const lines = ['POST /ops/v1/applications HTTP/1.1', 'Host: h', 'Content-Length: 2', 'Expect: 100-continue', CLOSE]
    await raw.send(headOf(...lines))
    await eventually(() => expect(raw.received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\n/))
    await raw.send('{}')
    expect((await raw.untilEnd()).map(({ status }) => status)).toEqual([100, 401])
  })

  it('holds a limited number of connections per listener', async () => {
    const server = gateway.app.getHttpServer() as Server
    const rawClients = await Promise.all(Array.from({ length: 201 }, () => RawClient.open(gateway.publicOrigin)))
    const held = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))
    await eventually(() => expect(rawClients.some(({ socket }) => socket.readableEnded || socket.destroyed)).toBe(true))
    expect(await held()).toBeLessThanOrEqual(200)
    expect((await gateway.ops('GET', '/applications')).status).toBe(200)
    for (const { socket } of rawClients) socket.destroy()
    await eventually(async () => expect((await partner.get('/properties')).status).toBe(200))
  })
})
