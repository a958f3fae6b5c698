import { jest } from '@jest/globals'
import { optionsOf, seedOf } from './options.ts'

const HELP = 'npm run thing -- --size 3\n'
const options = (...args: string[]) => optionsOf({ size: { type: 'string', default: '1' } }, HELP, { args })

describe('options of a script', () => {
  it('are those of its command line', () => {
    expect(options('--size', '3')).toEqual({ size: '3', positionals: [] })
    expect(options()).toEqual({ size: '1', positionals: [] })
  })

  it.each(['--help', '-h'])('print help for %s', (word) => {
    const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true)
    expect(options('--size', '3', word)).toBeNull()
    expect(write.mock.calls).toEqual([[HELP]])
    write.mockRestore()
  })

  it.each([
    [['--sise', '3'], "Unknown option '--sise'."],
    [['more'], "Unexpected argument 'more'."],
  ])('%j are refused with the help', (args, message) => {
    expect(() => options(...args)).toThrow(`${message}\n${HELP}`)
  })

  it('give the seed, or a random one', () => {
    expect(seedOf('7')).toBe(7)
    expect(seedOf(undefined)).not.toBe(seedOf(undefined))
  })
})
