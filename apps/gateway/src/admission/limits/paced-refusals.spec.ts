import { jest } from '@jest/globals'
import { PacedRefusals } from './paced-refusals.js'

const now = performance.now.bind(performance)

describe('refusals of a subject', () => {
  // The limits' clock stands still: on a busy machine, time for further refusals passes between the first and the last.
  beforeEach(() => void jest.spyOn(performance, 'now').mockReturnValue(1))
  afterEach(() => void jest.restoreAllMocks())

  const refuse = async (refusals: PacedRefusals, subject: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const begunAt = now()
        const staysOpen = await refusals.pace(subject)
        return { staysOpen, took: now() - begunAt }
      }),
    )

  it('are held for half a second from the 51st on, those of other subjects are not', async () => {
    const refusals = new PacedRefusals()
    const [own, others] = await Promise.all([refuse(refusals, 'a', 55), refuse(refusals, 'b', 50)])
    expect(own.filter(({ took }) => took < 400)).toHaveLength(50)
    expect(own.filter(({ took }) => took >= 490)).toHaveLength(5)
    expect(Math.max(...others.map(({ took }) => took))).toBeLessThan(400)
  })

  it('are held for five seconds when five are held already, and end their connections', async () => {
    const all = await refuse(new PacedRefusals(), 'a', 80)
    const last = all.filter(({ staysOpen }) => !staysOpen)
    expect(last).toHaveLength(25)
    expect(Math.min(...last.map(({ took }) => took))).toBeGreaterThan(4_900)
  }, 15_000)

  it('are not held beyond 500 of a subject and 2,000 in all', async () => {
    const refusals = new PacedRefusals()
    const atOnce = async (subject: string) => {
      const all = await refuse(refusals, subject, 650)
      return all.filter(({ staysOpen, took }) => !staysOpen && took < 4_900).length
    }
    const subjects = ['a', 'b', 'c', 'd', 'e']
    expect(await Promise.all(subjects.map(atOnce))).toEqual([95, 95, 95, 95, 595])
  }, 15_000)
})
