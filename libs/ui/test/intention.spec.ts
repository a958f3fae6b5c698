import { Intention } from '../src/intention.ts'
import { RequestError } from '../src/request-error.ts'

const refusedWith = (status: number, code?: string) => new RequestError('refused', { status, ...(code && { code }) })

describe('an intention', () => {
  const body = { reason: 'leaked' }

  it.each([
    ['a lost answer', refusedWith(0)],
    ['an overloaded service', refusedWith(503)],
    ['the end of the session', refusedWith(401)],
    ['a callback that did not answer', refusedWith(422, 'callback_unreachable')],
    ['an answer that is still on its way', refusedWith(409, 'idempotency_in_progress')],
    ['an unreadable answer', new SyntaxError('no JSON')],
  ])('keeps its key after %s', (_, error) => {
    const intention = new Intention()
    const first = intention.keyOf(body)
    intention.end(error)
    expect(intention.keyOf({ ...body })).toEqual(first)
  })

  it.each([
    ['a success', null],
    ['a refusal that is stored', refusedWith(409, 'version_conflict')],
  ])('has a new key after %s', (_, error) => {
    const intention = new Intention()
    const first = intention.keyOf(body)
    intention.end(error)
    expect(intention.keyOf(body)).not.toEqual(first)
  })

  it('has another key for another body, and the first one when the body is changed back', () => {
    const intention = new Intention()
    const first = intention.keyOf(body)
    expect(intention.keyOf({ reason: 'yearly' })).not.toEqual(first)
    expect(intention.keyOf(body)).toEqual(first)
    expect(intention.keyOf()).not.toEqual(first)
  })

  it('keeps the key of a lost body when another body is refused', () => {
    const intention = new Intention()
    const lost = intention.keyOf(body)
    intention.end(refusedWith(0))
    intention.keyOf({ reason: 'yearly' })
    intention.end(refusedWith(409, 'version_conflict'))
    expect(intention.keyOf(body)).toEqual(lost)
  })

  it('is sent once at a time, and is not renewed meanwhile', () => {
    const intention = new Intention()
    const first = intention.keyOf(body)
    expect(intention.begin()).toBe(true)
    expect(intention.begin()).toBe(false)
    expect(intention.renew()).toBe(false)
    expect(intention.keyOf(body)).toEqual(first)
    intention.end(refusedWith(503))
    expect(intention.begin()).toBe(true)
    intention.end(refusedWith(503))
    expect(intention.renew()).toBe(true)
    expect(intention.keyOf(body)).not.toEqual(first)
  })
})
