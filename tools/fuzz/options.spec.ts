import { optionsOf } from './options.ts'

describe('options of npm run fuzz', () => {
  it('give the inputs, the seed and the only operation', () => {
    expect(optionsOf(['--inputs', '5000', '--seed', '42', '--only', 'post /ari'])).toEqual({
      inputs: 5_000,
      seed: 42,
      only: 'post /ari',
    })
  })

  it('stand for a full run with a drawn seed when none is given', () => {
    expect(optionsOf([])).toEqual({ inputs: 100_000, seed: expect.any(Number) })
  })

  it.each([
    [['--inputs', 'many'], '--inputs takes a whole number'],
    [['--seed', '2147483648'], '--seed takes a whole number up to 2147483647'],
    [['--input', '1'], "Unknown option '--input'"],
  ])('%j are refused with what can be given', (given, message) => {
    expect(() => optionsOf(given)).toThrow(message)
  })
})
