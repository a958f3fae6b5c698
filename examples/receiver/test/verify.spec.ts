import { readFileSync } from 'node:fs'
import { jest } from '@jest/globals'
import { callbackKeyOf, callbackSignatureHeaders } from '@connectivity/signing'
import { verifyByHand, verifyWithLibrary } from '../verify.mjs'

interface Vector {
  name: string
  secret: string
  timestamp: string
  body_base64: string
  headers: Record<string, string>
}

const vectors = new URL('../../../docs/vectors.json', import.meta.url)
const { callbacks } = JSON.parse(readFileSync(vectors, 'utf8')) as { callbacks: Vector[] }
const [secret, older, other] = [1, 2, 3].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`)
const body = Buffer.from('{"guest":"Zoë"}')
const signed = (timestamp: number, ...secrets: string[]) => ({
  'service-event-id': 'evt_1',
  ...callbackSignatureHeaders({ eventId: 'evt_1', timestamp, body }, secrets.map(callbackKeyOf)),
})
const now = () => Math.floor(Date.now() / 1000)
const byHand = (key: string, headers: object, bytes = body): boolean => verifyByHand(key, headers, bytes)
const withLibrary = (key: string, headers: object, bytes = body): boolean => {
  try {
    return verifyWithLibrary(key, headers, bytes) !== undefined
  } catch {
    return false
  }
}

describe.each([
  ['by hand', byHand],
  ['with the library', withLibrary],
])('a request verified %s', (_how, passes) => {
  it('passes with the secret it was signed with, also when it was signed with two', () => {
    expect(passes(secret!, signed(now(), secret!))).toBe(true)
    for (const key of [secret!, older!]) expect(passes(key, signed(now(), secret!, older!))).toBe(true)
  })

  it('does not pass with another secret, body or event, or without a signature', () => {
    expect(passes(other!, signed(now(), secret!, older!))).toBe(false)
    expect(passes(secret!, signed(now(), secret!), Buffer.from('{"guest":"Zoe"}'))).toBe(false)
    const ids = { 'service-event-id': 'evt_2', 'webhook-id': 'evt_2' }
    expect(passes(secret!, { ...signed(now(), secret!), ...ids })).toBe(false)
    expect(passes(secret!, {})).toBe(false)
    expect(
      passes(secret!, { ...signed(now(), secret!), 'service-signature': 't=x,v1', 'webhook-signature': 'v1' }),
    ).toBe(false)
  })

  it('does not pass when its timestamp is more than five minutes off', () => {
    for (const age of [-310, 310]) expect(passes(secret!, signed(now() + age, secret!))).toBe(false)
    for (const age of [-290, 290]) expect(passes(secret!, signed(now() + age, secret!))).toBe(true)
  })

  describe('at the time of the golden vectors', () => {
    beforeAll(() => void jest.useFakeTimers({ now: Number(callbacks[0]!.timestamp) * 1_000 }))
    afterAll(() => void jest.useRealTimers())

    it.each(callbacks)('passes: $name', (vector) => {
      const bytes = Buffer.from(vector.body_base64, 'base64')
      expect(passes(vector.secret, vector.headers, bytes)).toBe(true)
      expect(passes(other!, vector.headers, bytes)).toBe(false)
    })
  })
})
