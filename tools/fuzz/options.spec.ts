import { optionsOf } from './options.ts'

describe('options of npm run fuzz', () => {
  it('give the inputs, the seed and the only operation', () => {
    expect(optionsOf(['--inputs', '5000', '--seed', '42', '--only', 'post /ari'])).toEqual({
      inputs: 5_000,
      seed: 42,
      only: 'post /ari',
    })
  })

  it('default to a full run with a random seed', () => {
    expect(optionsOf([])).toEqual({ inputs: 100_000, seed: expect.any(Number) })
  })

  it.each([
    [['--inputs', 'many'], '--inputs takes a whole number'],
    [['--seed', '2147483648'], '--seed takes a whole number up to 2147483647'],
    [['--input', '1'], "Unknown option '--input'"],
  ])('%j are refused with an explanation', (given, message) => {
    expect(() => optionsOf(given)).toThrow(message)
  })
})
