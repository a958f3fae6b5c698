import { createSecretKey, randomBytes } from 'node:crypto'
import { jest } from '@jest/globals'
import { callbackSignatureHeaders } from '@connectivity/signing'
import fc from 'fast-check'
import { diagnose, type ReceivedCallback, type SentCallback } from './diagnosis.js'

const NOW = 1_795_168_800_000
const SENT_AT = NOW / 1_000 - 86_400
const [current, ended] = [createSecretKey(randomBytes(32)), createSecretKey(randomBytes(32))]
const body = Buffer.from('{"id":"evt_1","name":"Zoë?","amount":412.50,"url":"https://a/b"}')
const sent: SentCallback = {
  body,
  times: [SENT_AT],
  keys: [
    { key: current, endsAt: Infinity },
    { key: ended, endsAt: NOW - 1 },
  ],
}

const signed = (keys = [current], timestamp = SENT_AT, eventId = 'evt_1') => ({
  'service-event-id': eventId,
  ...callbackSignatureHeaders({ eventId, timestamp, body }, keys),
})
const of = (given: Partial<ReceivedCallback>) =>
  diagnose({ eventId: 'evt_1', headers: signed(), body, ...given }, sent, NOW)
const verdict = (headers: Record<string, string>) => of({ headers }).verdict
const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(signed()).filter(([name]) => !names.includes(name)))
const upper = (headers: object) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value as string]))

describe('the diagnosis of a callback', () => {
  it('is valid if it is unchanged, however old it is', () => {
    expect(of({})).toEqual({
      verdict: 'valid',
      likely_cause: null,
      first_difference: null,
      message: expect.any(String),
    })
  })

  it('accepts header names in any case, ignores other headers, and needs one dialect', () => {
    expect(verdict({ ...upper(signed()), Host: 'x' })).toBe('valid')
    expect(verdict(without('service-signature'))).toBe('valid')
    expect(verdict(without('webhook-id'))).toBe('valid')
    expect(verdict(without('webhook-id', 'service-event-id'))).toBe('valid')
    expect(verdict({ ...signed(), 'service-signature': 'no' })).toBe('valid')
    expect(verdict(signed([ended, current]))).toBe('valid')
  })

  it.each([
    ['header_missing', {}],
    ['header_missing', without('service-signature', 'webhook-signature')],
    ['header_missing', { ...without('webhook-id'), 'service-signature': '' }],
    ['header_malformed', { ...without('webhook-id'), 'service-signature': 't=1,v1=ab' }],
    ['header_malformed', { ...without('webhook-id'), 'service-signature': `t=${SENT_AT}` }],
    ['header_malformed', { ...without('service-signature'), 'webhook-signature': 'v1,abc' }],
    ['header_malformed', { ...without('service-signature'), 'webhook-timestamp': '12.5' }],
    ['header_malformed', signed([current], SENT_AT, 'evt_2')],
    ['wrong_secret', signed([createSecretKey(randomBytes(32))])],
    ['wrong_secret', signed([ended])],
    ['wrong_secret', { 'Service-Signature': `t=${SENT_AT},v1=${'0'.repeat(64)}` }],
    ['stale_timestamp', signed([current], SENT_AT + 1)],
    ['stale_timestamp', signed([current], NOW / 1_000 - 301)],
    ['valid', signed([current], NOW / 1_000 - 300)],
    ['valid', signed([current], NOW / 1_000 + 300)],
  ])('is %s', (expected, headers) => {
    expect(verdict(headers)).toBe(expected)
  })

  it('names the rotation that ended the secret', () => {
    expect(of({ headers: signed([ended]) }).message).toMatch(/rotation/)
    expect(of({ headers: signed([createSecretKey(randomBytes(32))]) }).message).not.toMatch(/was ended/)
  })

  it('puts a changed body before a wrong secret, and a missing header before both', () => {
    const changed = Buffer.from('{}')
    expect(of({ body: changed, headers: signed([ended]) }).verdict).toBe('body_changed')
    expect(of({ body: changed, headers: {} }).verdict).toBe('header_missing')
  })
})

describe('a changed body', () => {
  const text = body.toString()
  const causeOf = (received: Buffer | string) => of({ body: Buffer.from(received as string) }).likely_cause

  it.each<[string | null, string, Buffer | string]>([
    ['json_reserialised', 'compact numbers', JSON.stringify(JSON.parse(text))],
    ['json_reserialised', 'a line feed at the end', `${text}\n`],
    ['json_reserialised', 'escapes', text.replace('ë', '\\u00eb')],
    ['json_reserialised', 'another order', '{"url":"https://a/b","amount":412.5,"name":"Zoë?","id":"evt_1"}'],
    ['charset', 'Latin-1', Buffer.from(text, 'latin1')],
    ['charset', 'UTF-8 read as Latin-1', body.toString('latin1')],
    ['charset', 'a letter that is lost', text.replace('ë', '?')],
    ['charset', 'a byte order mark', `\ufeff${text}`],
    ['charset', 'UTF-16', Buffer.from(text, 'utf16le')],
    ['charset', 'UTF-16 of the other byte order', Buffer.from(text, 'utf16le').swap16()],
    ['truncated', 'cut off', body.subarray(0, 30)],
    ['truncated', 'nothing', ''],
    ['unknown', 'another event', '{"id":"evt_2"}'],
    ['unknown', 'a letter that is another', text.replace('evt_1', 'evt_9')],
    [null, 'no change', text],
  ])('is %s: %s', (cause, _how, received) => {
    expect(causeOf(received)).toBe(cause)
  })

  it.each(['', '\ufeff'])('is charset: UTF-16 of letters beyond Latin-1, beginning with %j', (mark) => {
    const beyond = '{"name":"Wałęsa 李 😀"}'
    const little = Buffer.from(mark + beyond, 'utf16le')
    for (const received of [little, Buffer.from(little).swap16()]) {
      const callback = { eventId: 'evt_1', headers: signed(), body: received }
      expect(diagnose(callback, { ...sent, body: Buffer.from(beyond) }, NOW).likely_cause).toBe('charset')
    }
  })

  it('shows 16 bytes of both sides from where they differ', () => {
    const received = Buffer.concat([body.subarray(0, 10), Buffer.from('!')])
    expect(of({ body: received }).first_difference).toEqual({
      offset: 10,
      expected: body.subarray(10, 26).toString('base64'),
      received: 'IQ==',
    })
    expect(of({ body: body.subarray(0, 5) }).first_difference).toMatchObject({ offset: 5, received: '' })
    expect(of({ body: Buffer.concat([body, Buffer.from('\n')]) }).first_difference).toEqual({
      offset: body.length,
      expected: '',
      received: 'Cg==',
    })
  })

  it('does not look for a cause in a body far longer than the one that was sent', () => {
    expect(causeOf(`${text}${' '.repeat(7 * body.length)}`)).toBe('json_reserialised')
    const parse = jest.spyOn(JSON, 'parse')
    expect(causeOf(`${text}${' '.repeat(780_000)}`)).toBe('unknown')
    expect(parse).not.toHaveBeenCalled()
    parse.mockRestore()
  })

  it('names the offset of the first difference', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (given) => {
        const received = Buffer.from(given)
        const { first_difference } = of({ body: received })
        const { offset } = first_difference!
        expect(received.subarray(0, offset)).toEqual(body.subarray(0, offset))
        expect(received[offset]).not.toBe(body[offset])
      }),
    )
  })
})
