import { labelOf, listed, messageOf, textOf } from '../src/faults.ts'

const fault = (pointer: string, message: string) => ({ pointer, code: 'invalid_value', message })

describe('a fault', () => {
  it.each([
    ['/reason', 'Reason'],
    ['/contact/email', 'Contact e-mail'],
    ['/limits/feed/per_minute', 'Feed per minute'],
    ['/mappings/0/external_id', 'Mappings external id'],
    ['', ''],
  ])('at %p is named by the label %p', (pointer, label) => {
    expect(labelOf(pointer)).toBe(label)
  })

  it('shows its place once, and never as a pointer', () => {
    expect(textOf(fault('/reason', '/reason: must be a text.'))).toBe('Reason: must be a text.')
    expect(textOf(fault('/reason', 'The reason is too long.'))).toBe('Reason: The reason is too long.')
    expect(textOf(fault('', 'The body must be a JSON object.'))).toBe('The body must be a JSON object.')
    expect(messageOf(fault('/reason', '/reason: must be a text.'))).toBe('must be a text.')
  })

  it('is listed below the message of its refusal unless that says the same', () => {
    const faults = [fault('/reason', 'The reason is too long.'), fault('/to', '/to: is missing.')]
    expect(listed('The reason is too long.', faults)).toEqual([faults[1]])
    expect(listed('The body is not accepted: /to: is missing.', faults)).toEqual(faults)
    expect(listed('since must be a time.', [fault('since', 'since must be a time.')])).toEqual([])
  })
})
