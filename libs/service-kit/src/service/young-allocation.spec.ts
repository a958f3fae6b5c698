import { execFileSync } from 'node:child_process'

const MODULE = new URL('young-allocation.ts', import.meta.url).href
/** Makes objects in one place of the code that all survive. */
const SURVIVORS = `
  const kept = []
  const make = (index) => [[index, 'survivor'], { index, name: 'survivor' }]
  for (let index = 0; index < 300_000; index++) kept.push(make(index))
`

/** Number of decisions to pretenure that V8 takes while a program runs. */
function decisionsOf(program: string): number {
  const options = ['--trace-pretenuring-statistics', '--max-semi-space-size=1', '--input-type=module', '--no-warnings']
  const trace = execFileSync(process.execPath, [...options, '--eval', program], { encoding: 'utf8' })
  return trace.match(/undecided => tenure/g)?.length ?? 0
}

describe('allocateYoung', () => {
  it('keeps V8 from pretenuring objects that survive', () => {
    const begin = `const { allocateYoung } = await import(${JSON.stringify(MODULE)})`
    expect(decisionsOf(`${begin}; allocateYoung(); ${SURVIVORS}`)).toBe(0)
    expect(decisionsOf(`${begin}; ${SURVIVORS}`)).toBeGreaterThan(0)
  })
})
