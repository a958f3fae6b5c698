import { PacedRefusals } from './paced-refusals.js'

describe('refusals of a subject', () => {
  const refuse = async (refusals: PacedRefusals, subject: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const begunAt = performance.now()
        const isHeld = await refusals.pace(subject)
        return { isHeld, took: performance.now() - begunAt }
      }),
    )

  it('are held for half a second from the 51st on, those of other subjects are not', async () => {
    const refusals = new PacedRefusals()
    const [own, others] = await Promise.all([refuse(refusals, 'a', 60), refuse(refusals, 'b', 50)])
    expect(own.filter(({ took }) => took < 400)).toHaveLength(50)
    expect(own.filter(({ took }) => took >= 490)).toHaveLength(10)
    expect(Math.max(...others.map(({ took }) => took))).toBeLessThan(400)
  })

  it('are not held when fifty are held already', async () => {
    const all = await refuse(new PacedRefusals(), 'a', 120)
    expect(all.filter(({ isHeld }) => !isHeld)).toHaveLength(20)
  })
})
