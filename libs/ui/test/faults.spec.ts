import { labelOf, messageOf, summaryOf, textOf } from '../src/faults.ts'

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

  it('is not repeated by the message of the refusal', () => {
    const details = [fault('/reason', '/reason: must be a text.')]
    expect(summaryOf('The body is not accepted: /reason: must be a text.', details)).toBe('The body is not accepted.')
    expect(summaryOf('/reason: must be a text.', details)).toBe('')
    expect(summaryOf('Something else failed.', details)).toBe('Something else failed.')
  })
})
