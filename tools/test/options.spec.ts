import { optionsOf } from './options.ts'

describe('options of npm test', () => {
  it('name suites and the seed of their order', () => {
    const given = ['apps/catalog', '--seed', '42', '--reverse']
    expect(optionsOf(given)).toMatchObject({ suites: ['apps/catalog'], seed: 42, reverse: true, unit: false })
  })

  it('draw a seed when none is given', () => {
    const seeds = new Set(Array.from({ length: 20 }, () => optionsOf([])!.seed))
    expect(seeds.size).toBeGreaterThan(1)
    for (const seed of seeds) expect(seed).toBeLessThan(2 ** 31)
  })

  it('take the number of runs after the script’s own --repeat', () => {
    expect(optionsOf(['--repeat', '10', '--busy'])).toMatchObject({ repeat: 10, busy: true, clean: false })
    expect(optionsOf(['apps/ari'])).not.toHaveProperty('repeat')
  })

  it.each([
    [['--seed', '1.5'], '--seed takes a whole number'],
    [['--seed', '2147483648'], '--seed takes a whole number up to 2147483647'],
    [['--repeat', 'x'], '--repeat takes a whole number'],
    [['--sed', '1'], "Unknown option '--sed'"],
  ])('%j are refused with an explanation', (given, message) => {
    expect(() => optionsOf(given)).toThrow(message)
  })
})
