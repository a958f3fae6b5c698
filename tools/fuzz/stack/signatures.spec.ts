import type { Request } from '../model/request.ts'
import { Signatures } from './signatures.ts'

const signing = { key_id: 'key_1', signing_secret: 'secret' }
const request = (more: Partial<Request> = {}): Request => ({
  method: 'DELETE',
  path: '/properties/con_1/callback',
  headers: {},
  body: null,
  signature: 'good',
  ...more,
})

describe('signatures', () => {
  it('differ for equal changes of one second, and stay within the window', () => {
    const signatures = new Signatures()
    const made = Array.from({ length: 20 }, () => signatures.headersOf(request(), signing))
    expect(new Set(made.map((headers) => headers['x-service-signature'])).size).toBe(20)
    const oldest = Math.min(...made.map((headers) => Number(headers['x-service-timestamp'])))
    expect(Date.now() / 1_000 - oldest).toBeLessThan(60)
  })

  it('are absent from unsigned requests, and cover another body in those that are signed wrongly', () => {
    const body = '{}'
    const of = (signature: Request['signature']) => new Signatures().headersOf(request({ body, signature }), signing)
    expect(of('none')).toEqual({})
    expect(of('wrong')['x-service-signature']).not.toBe(of('good')['x-service-signature'])
  })
})
