import { LargeBodyTurns } from './large-body-turns.service.js'

const MIB = 1024 * 1024
/** Time that the test's bodies take, ms. */
const BODY = 10

const processBody = (): void => {
  for (const end = performance.now() + BODY; performance.now() < end;);
}

describe('turns for large bodies', () => {
  /** Times at which the bodies of these applications are processed, ms from the first one. */
  const timesOf = async (...applications: string[]) => {
    const turns = new LargeBodyTurns()
    const begun: { application: string; at: number }[] = []
    await Promise.all(
      applications.map(async (application) => {
        await turns.take(application, MIB)
        begun.push({ application, at: performance.now() })
        processBody()
      }),
    )
    return begun.map(({ application, at }) => ({ application, at: at - begun[0]!.at }))
  }

  it('take at most half of the time, one application after the other', async () => {
    const begun = await timesOf('a', 'a', 'b', 'c')
    expect(begun.map(({ application }) => application)).toEqual(['a', 'b', 'c', 'a'])
    expect(begun[2]!.at).toBeGreaterThanOrEqual(2 * 2 * BODY)
  })

  it('take at most a fifth of the time for one application', async () => {
    const begun = await timesOf('a', 'a', 'a')
    expect(begun[2]!.at).toBeGreaterThanOrEqual(2 * 5 * BODY)
  })

  it('are not needed for a small body', async () => {
    const turns = new LargeBodyTurns()
    const worked: string[] = []
    const large = Array.from({ length: 3 }, () => turns.take('a', MIB).then(() => worked.push('large')))
    const small = turns.take('a', 1024).then(() => worked.push('small'))
    await small
    expect(worked.filter((each) => each === 'large').length).toBeLessThanOrEqual(1)
    await Promise.all(large)
  })
})
