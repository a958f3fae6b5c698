import { LogAge } from './log-age.js'

const PATIENCE = 3_000
const at = (partition: number, end: number, applied: number) => ({
  partition,
  end: BigInt(end),
  applied: BigInt(applied),
})

describe('the age of the oldest message that has not taken effect', () => {
  it('is 0 while every message has taken effect', () => {
    const age = new LogAge(PATIENCE, 0)
    age.look([at(0, 5, 5), at(1, 0, 0)], 100)
    expect(age.milliseconds(900)).toBe(0)
  })

  it('grows from the check that first saw the message, while the consumer is stuck', () => {
    const age = new LogAge(PATIENCE, 0)
    for (let now = 1_000; now <= 20_000; now += 500) age.look([at(0, 6 + now / 500, 5), at(1, 3, 3)], now)
    expect(age.milliseconds(20_000)).toBe(19_000)
    expect(age.milliseconds(20_400)).toBe(19_400)
  })

  it('is that of the next message once one has taken effect', () => {
    const age = new LogAge(PATIENCE, 0)
    age.look([at(0, 6, 5)], 1_000)
    age.look([at(0, 8, 5)], 2_000)
    age.look([at(0, 8, 6)], 3_000)
    expect(age.milliseconds(3_000)).toBe(1_000)
    age.look([at(0, 9, 9)], 4_000)
    expect(age.milliseconds(4_500)).toBe(0)
  })

  it('is the oldest of all partitions', () => {
    const age = new LogAge(PATIENCE, 0)
    age.look([at(0, 1, 0), at(1, 0, 0)], 1_000)
    age.look([at(0, 1, 0), at(1, 1, 0)], 2_000)
    expect(age.milliseconds(2_500)).toBe(1_500)
  })

  it('grows while checks fail, for example at a start without a broker', () => {
    const age = new LogAge(PATIENCE, 0)
    expect(age.milliseconds(100)).toBe(100)
    expect(age.milliseconds(10_000)).toBe(10_000)
    age.look([at(0, 5, 5)], 11_000)
    expect(age.milliseconds(11_000 + PATIENCE)).toBe(0)
    expect(age.milliseconds(16_000)).toBe(5_000)
  })

  it('is requested while messages from before the first check have not taken effect', () => {
    const age = new LogAge(PATIENCE, 0)
    const looks = [
      [at(0, 8, 5), at(1, 3, 3)],
      [at(0, 9, 7), at(1, 4, 3)],
      [at(0, 9, 8), at(1, 4, 3)],
    ]
    const inherited = looks.map((states) => age.inherited(states).map(({ partition }) => partition))
    expect(inherited).toEqual([[0], [0], []])
    age.look(looks[0]!, 1_000, 3_600_000)
    expect(age.milliseconds(1_500)).toBe(3_600_500)
    age.look(looks[1]!, 2_000, 60_000)
    expect(age.milliseconds(2_000)).toBe(60_000)
    age.look(looks[2]!, 3_000)
    expect(age.milliseconds(3_000)).toBe(1_000)
  })

  it('is that of the new messages once the log was recreated', () => {
    const age = new LogAge(PATIENCE, 0)
    const looks = [at(0, 8, 8), at(0, 9, 8), at(0, 2, 0), at(0, 3, 2), at(0, 3, 3)]
    const seen = looks.map((state, index) => {
      const inherited = age.inherited([state]).length
      age.look([state], index * 1_000, 400 * inherited)
      return [inherited, age.milliseconds(index * 1_000 + 500)]
    })
    expect(seen).toEqual([
      [0, 0],
      [0, 500],
      [1, 900],
      [0, 500],
      [0, 0],
    ])
  })

  it('keeps the oldest known end while the consumer is stuck for long', () => {
    const age = new LogAge(PATIENCE, 0)
    for (let now = 1; now <= 5_000; now++) age.look([at(0, now, 0)], now)
    expect(age.milliseconds(5_000)).toBe(4_999)
  })
})
