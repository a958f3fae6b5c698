import { createHash } from 'node:crypto'
import fc from 'fast-check'
import type { RowKind } from './digest.js'
import { bucketOf, DigestSum } from './digest-sum.js'
import { formatTimestamp } from './time.js'

interface Row {
  updatedAt: string
  kind: RowKind
  id: string
}

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** The definition, word by word. */
function plainDigest(rows: readonly Row[]): string {
  const elements = rows.map(({ updatedAt, kind, id }) => BigInt(`0x${sha256(`${updatedAt}\n${kind}\n${id}`)}`))
  const sum = elements.reduce((all, one) => (all + one) % 2n ** 256n, 0n)
  const digits = sum.toString(16).padStart(64, '0') + rows.length.toString(16).padStart(16, '0')
  return sha256(Buffer.from(digits, 'hex'))
}

function digestOf(rows: readonly Row[]): string {
  const sum = new DigestSum()
  for (const { updatedAt, kind, id } of rows) sum.add(updatedAt, kind, id)
  return sum.digest()
}

const row: fc.Arbitrary<Row> = fc.record({
  updatedAt: fc.integer({ min: 0, max: 253402300799999 }).map(formatTimestamp),
  kind: fc.constantFrom('reservation', 'problem'),
  id: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
})

describe('the digest of rows', () => {
  it('is SHA-256 of 40 zero bytes for no rows', () => {
    expect(new DigestSum().digest()).toBe(sha256(Buffer.alloc(40)))
  })

  it('is what its definition says, in any order of the rows', () => {
    fc.assert(
      fc.property(fc.array(row), fc.nat(), (rows, turn) => {
        const cut = rows.length === 0 ? 0 : turn % rows.length
        expect(digestOf(rows)).toBe(plainDigest(rows))
        expect(digestOf([...rows.slice(cut), ...rows.slice(0, cut)])).toBe(plainDigest(rows))
      }),
    )
  })

  it('changes with every row that is missing, doubled or has another stamp, kind or id', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), fc.nat(), row, (rows, turn, other) => {
        const at = turn % rows.length
        const { updatedAt, kind, id } = rows[at]!
        const spoilt = [
          rows.toSpliced(at, 1),
          [...rows, rows[at]!],
          rows.with(at, { updatedAt: formatTimestamp(Date.parse(updatedAt) + 1), kind, id }),
          rows.with(at, { updatedAt, kind: kind === 'problem' ? 'reservation' : 'problem', id }),
          rows.with(at, { updatedAt, kind, id: `${id}x` }),
          [...rows, other],
        ]
        for (const each of spoilt) expect(digestOf(each)).not.toBe(digestOf(rows))
      }),
    )
  })

  it('adds up more elements than a double takes exactly', () => {
    const ROWS = 2 ** 20 + 3
    const sum = new DigestSum()
    for (let count = 0; count < ROWS; count++) sum.add('2026-11-20T10:15:30.123Z', 'reservation', 'RSV-1')
    const element = BigInt(`0x${sha256('2026-11-20T10:15:30.123Z\nreservation\nRSV-1')}`)
    const total = ((element * BigInt(ROWS)) % 2n ** 256n).toString(16).padStart(64, '0')
    expect(sum.rows).toBe(ROWS)
    expect(sum.digest()).toBe(sha256(Buffer.from(total + ROWS.toString(16).padStart(16, '0'), 'hex')))
  })
})

describe('the bucket of a row', () => {
  it('is the first byte of SHA-256 of its reservation id', () => {
    expect(bucketOf('RSV-1001')).toBe(sha256('RSV-1001').slice(0, 2))
    expect(bucketOf('R-é😀')).toBe(sha256(Buffer.from('R-é😀')).slice(0, 2))
  })
})
