import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import http from 'node:http'
import { GatewayUnderTest } from './gateway-under-test.js'
import { call } from './partner.js'

/** The bytes of an answer as they came. */
function bytes(
  origin: string,
  path: string,
  encoding: string,
): Promise<{ headers: http.IncomingHttpHeaders; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const request = http.get(origin + path, { headers: { 'accept-encoding': encoding } }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => resolve({ headers: answer.headers, body: Buffer.concat(chunks) }))
    })
    request.on('error', reject)
  })
}

describe('pages of the portal', () => {
  const gateway = new GatewayUnderTest()
  beforeAll(() => gateway.start())
  afterAll(() => gateway.stop())

  const get = (path: string, method = 'GET') => call(gateway.publicOrigin, path, { method })
  const script = async () => /src="(\/portal\/assets\/[^"]+\.js)"/.exec((await get('/portal')).text)![1]!

  it('need no credential; every page is the application, with a nonce of its own and never cached', async () => {
    const pages = await Promise.all(['/portal', '/portal/requests', '/portal/nothing/here'].map((path) => get(path)))
    for (const { status, headers, text } of pages) {
      expect([status, headers['cache-control'], headers['content-type']]).toEqual([
        ...[200, 'no-store', 'text/html; charset=utf-8'],
      ])
      const policy = headers['content-security-policy'] as string
      const [, nonce] = /'nonce-([^']+)'/.exec(policy)!
      expect(policy).toMatch(/^default-src 'self';.*frame-ancestors 'none'$/)
      expect(policy).not.toMatch(/unsafe|data:|\*/)
      expect(text).toContain(`nonce="${nonce}"`)
      expect(text).not.toContain('__CSP_NONCE__')
    }
    expect(new Set(pages.map(({ headers }) => headers['content-security-policy'])).size).toBe(3)
  })

  it('come with files that are cached for a year, compressed as the client takes them', async () => {
    const path = await script()
    const plain = await bytes(gateway.publicOrigin, path, 'identity')
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'Accept-Encoding',
    })
    const br = await bytes(gateway.publicOrigin, path, 'gzip, deflate, br')
    expect(br.headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true)
    const gzip = await bytes(gateway.publicOrigin, path, 'gzip, br;q=0')
    expect(gzip.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true)
  })

  it('need at most 300 KB of compressed JavaScript', async () => {
    const { body } = await bytes(gateway.publicOrigin, await script(), 'gzip')
    expect(body.length).toBeLessThan(300_000)
  })

  it('are only read: other methods get 405; HEAD has no body; a file of another build 404; a slash leads on', async () => {
    const refused = await get('/portal', 'POST')
    expect([refused.status, refused.headers.allow, refused.json.error!.code]).toEqual([
      ...[405, 'GET, HEAD', 'method_not_allowed'],
    ])
    expect(await get('/portal', 'HEAD')).toMatchObject({ status: 200, text: '' })
    expect(await get('/portal/assets/index-old.js')).toMatchObject({ status: 404 })
    expect(await get('/portal/assets/../../package.json')).toMatchObject({ status: 404 })
    expect(await get('/portal/?a=1')).toMatchObject({ status: 308, headers: { location: '/portal?a=1' } })
    expect(await get('/portals')).toMatchObject({ status: 401 })
  })
})
