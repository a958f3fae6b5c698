import { PacedRefusals } from './paced-refusals.js'

describe('refusals of a subject', () => {
  const timesOf = async (refusals: PacedRefusals, subject: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const begunAt = performance.now()
        await refusals.pace(subject)
        return performance.now() - begunAt
      }),
    )

  it('are held for half a second from the 51st in a row on, whoever else is refused', async () => {
    const refusals = new PacedRefusals()
    const [times, others] = await Promise.all([timesOf(refusals, 'a', 60), timesOf(refusals, 'b', 50)])
    expect(times.filter((time) => time < 400)).toHaveLength(50)
    expect(times.filter((time) => time >= 490)).toHaveLength(10)
    expect(Math.max(...others)).toBeLessThan(400)
  })
})
