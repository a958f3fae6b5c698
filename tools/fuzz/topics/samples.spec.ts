import { numbered } from './samples.ts'

describe('sample messages', () => {
  it('are numbered where they have numbers', () => {
    expect(numbered({ type: 't', data: { version: 1, name: 'n' } }, 7)).toEqual({
      type: 't',
      data: { version: 7, name: 'n' },
    })
  })
})
