import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const CLIENT = fileURLToPath(new URL('../pull-client.mjs', import.meta.url))
const CHECKPOINT = '2026-11-20T10:00:00.900Z'

/** Removes what Node 20, the oldest that the client supports, does not have. */
const OLD_NODE = `
  delete Map.groupBy; delete Object.groupBy; delete Array.fromAsync; delete Promise.withResolvers; delete Promise.try;
  for (const name of ['union', 'intersection', 'difference', 'isSubsetOf', 'isDisjointFrom']) delete Set.prototype[name]
  delete globalThis.Iterator; delete RegExp.escape`
const nodes: [string, string[]][] = [
  ['node:sqlite', []],
  [
    'the package on Node 20',
    ['--no-experimental-sqlite', `--import=data:text/javascript,${encodeURIComponent(OLD_NODE)}`],
  ],
]

interface Row {
  reservation_id: string
  updated_at: string
  kind: 'reservation' | 'problem'
}

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** The digest of api-2.md §20, written down a second time. */
function digestOf(rows: readonly Row[]) {
  const elements = rows.map((row) => BigInt(`0x${sha256(`${row.updated_at}\n${row.kind}\n${row.reservation_id}`)}`))
  const sum = elements.reduce((all, one) => all + one, 0n) % 2n ** 256n
  const bytes = Buffer.alloc(40)
  bytes.write(sum.toString(16).padStart(64, '0'), 'hex')
  bytes.writeBigUInt64BE(BigInt(rows.length), 32)
  return { rows: rows.length, digest: sha256(bytes) }
}

const bucketOf = ({ reservation_id }: Row): string => sha256(reservation_id).slice(0, 2)

/** A service with a feed of one page. */
class Service {
  /** The feed. */
  rows: Row[] = [
    { reservation_id: 'RSV-1', updated_at: '2026-11-20T10:00:00.100Z', kind: 'reservation' },
    { reservation_id: 'RSV-2', updated_at: '2026-11-20T10:00:00.200Z', kind: 'reservation' },
    { reservation_id: 'RSV-3', updated_at: CHECKPOINT, kind: 'problem' },
  ]
  /** Ids of rows that the feed does not show the client. */
  hidden: string[] = []
  /** Ids of rows that change when the client lists the rows of a bucket. */
  restless: string[] = []
  /** Answers instead of the digest; null ends the connection. */
  refusal: { status: number; headers: Record<string, string>; body: string } | null | undefined
  proofs: object[] = []
  private readonly server: Server

  constructor() {
    this.server = createServer((request, response) => {
      void text(request).then((body) => {
        const isDigest = request.url!.includes('/digest')
        if (isDigest && this.refusal === null) return request.socket.destroy()
        if (isDigest && this.refusal)
          return response.writeHead(this.refusal.status, this.refusal.headers).end(this.refusal.body)
        return response
          .writeHead(200, { 'service-checkpoint': CHECKPOINT })
          .end(JSON.stringify(this.answer(request, body)))
      })
    })
  }

  async start(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening')
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections()
    await once(this.server.close(), 'close')
  }

  private answer({ url }: IncomingMessage, body: string): object {
    const { pathname, searchParams } = new URL(url!, 'http://service')
    if (pathname.endsWith('/proofs')) return this.prove(JSON.parse(body) as { digest: string })
    if (pathname.endsWith('/digest/rows')) return this.bucket(searchParams.get('bucket')!)
    return pathname.endsWith('/digest') ? this.digest() : this.page()
  }

  private page(): object {
    const shown = this.rows.filter(({ reservation_id }) => !this.hidden.includes(reservation_id))
    const [reservations, errors] = ['reservation', 'problem'].map((kind) => shown.filter((row) => row.kind === kind))
    const stays = { status: 'confirmed', check_in: '2026-12-01', check_out: '2026-12-02' }
    return {
      reservations: reservations!.map((row) => ({ ...row, ...stays })),
      errors: errors!.map((row) => ({ ...row, message: 'no room', correlation_id: 'cor-1' })),
      pagination: { next_cursor: null, has_more: false },
    }
  }

  private get covered(): Row[] {
    return this.rows.filter(({ updated_at }) => updated_at <= CHECKPOINT)
  }

  private digest() {
    const moved = this.rows.filter((row) => !this.covered.includes(row)).map(({ reservation_id }) => reservation_id)
    const buckets = [...Map.groupBy(this.covered, bucketOf)].map(([bucket, rows]) => ({ bucket, ...digestOf(rows) }))
    return { checkpoint: CHECKPOINT, ...digestOf(this.covered), moved, buckets }
  }

  private bucket(bucket: string): object {
    const rows = this.covered.filter((row) => bucketOf(row) === bucket)
    this.rows = this.rows.map((row) =>
      this.restless.includes(row.reservation_id) ? { ...row, updated_at: '2026-11-20T11:00:00.000Z' } : row,
    )
    return { rows, pagination: { next_cursor: null, has_more: false } }
  }

  private prove({ digest }: { digest: string }): object {
    const proof = { result: digest === this.digest().digest ? 'match' : 'differ' }
    this.proofs.push(proof)
    return proof
  }
}

describe.each(nodes)('the pull client with --once --verify, with %s', (_name, options) => {
  let service: Service
  let folder: string
  beforeEach(() => {
    service = new Service()
    folder = mkdtempSync(join(tmpdir(), 'pull-client-'))
  })
  afterEach(async () => {
    await service.stop()
    rmSync(folder, { recursive: true })
  })

  async function verified(): Promise<{ code: number; output: string }> {
    const env = {
      BASE_URL: await service.start(),
      ...{ KEY_ID: 'key_1', SIGNING_SECRET: 'secret', PROPERTY_ID: 'con_1', DATABASE: join(folder, 'copy.sqlite') },
    }
    const client = spawn(process.execPath, ['--no-warnings', ...options, CLIENT, '--once', '--verify'], { env })
    const [output, errors, [code]] = await Promise.all([
      text(client.stdout),
      text(client.stderr),
      once(client, 'close'),
    ])
    return { code: code as number, output: output + errors }
  }

  it('proves that both sides hold the same', async () => {
    const { code, output } = await verified()
    expect(output).toContain('proven: both sides hold the same, 3 rows')
    expect(service.proofs).toEqual([{ result: 'match' }])
    expect(code).toBe(0)
  })

  it('names what differs and says what to do', async () => {
    service.hidden = ['RSV-1', 'RSV-3']
    const { code, output } = await verified()
    expect(output).toContain('RSV-1 is missing here')
    expect(output).toContain('RSV-3 is missing here')
    expect(output).toMatch(/Both sides differ\.[^]*GET \/reservations\/\{reservation_id\}/)
    expect(output).not.toContain('proven')
    expect(service.proofs).toEqual([{ result: 'differ' }])
    expect(code).toBe(1)
  })

  it('compares once more when everything that differs has changed meanwhile', async () => {
    service.hidden = ['RSV-1']
    service.restless = ['RSV-1']
    const { code, output } = await verified()
    expect(output).toContain('proven: both sides hold the same')
    expect(service.proofs).toEqual([{ result: 'differ' }, { result: 'match' }])
    expect(code).toBe(0)
  })

  it.each([
    ['503', { 'retry-after': '3' }, /answered 503: service_unavailable\. Busy\..*; run it again in 3 s/],
    ['429', { 'retry-after': '20' }, /answered 429: rate_limited\. Busy\..*; run it again in 20 s/],
    ['409', {}, /answered 409: checkpoint_too_old\. Busy\./],
  ])('fails when the comparison is answered %s', async (status, headers, expected) => {
    const code = { 503: 'service_unavailable', 429: 'rate_limited', 409: 'checkpoint_too_old' }[status]
    const body = JSON.stringify({ error: { code, message: 'Busy.', correlation_id: 'cor-1' } })
    service.refusal = { status: Number(status), headers, body }
    const result = await verified()
    expect(result.output).toMatch(/Not compared: /)
    expect(result.output).toMatch(expected)
    expect(result.code).toBe(2)
  })

  it('fails when the comparison is not answered', async () => {
    service.refusal = null
    const { code, output } = await verified()
    expect(output).toMatch(/Not compared: No answer from http.*; run it again/)
    expect(code).toBe(2)
  })
})
