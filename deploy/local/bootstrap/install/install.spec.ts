import { isUpToDate } from './install.mjs'

const lock = {
  '': { version: '1.0.0' },
  'libs/kafka': { version: '0.1.0' },
  'node_modules/@connectivity/kafka': { link: true },
  'node_modules/pg': { version: '8.23.0' },
  'node_modules/@swc/core-darwin-arm64': { version: '1.0.0', optional: true },
}

describe('an installation', () => {
  it('is up to date without the packages of other platforms', () => {
    expect(isUpToDate(lock, { 'node_modules/pg': { version: '8.23.0' } })).toBe(true)
  })
  it.each([
    ['a package is missing', {}],
    ['a package has another version', { 'node_modules/pg': { version: '8.22.0' } }],
    [
      'an optional package has another version',
      { 'node_modules/pg': { version: '8.23.0' }, 'node_modules/@swc/core-darwin-arm64': { version: '0.9.0' } },
    ],
  ])('is not up to date when %s', (_why, present) => {
    expect(isUpToDate(lock, present)).toBe(false)
  })
})
