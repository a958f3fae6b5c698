import { rotate } from './secret-rotation.js'

const at = (ms: number) => new Date(ms)
const secret = (createdAt: number, endsAt: number | null = null) => ({
  createdAt: at(createdAt),
  endsAt: endsAt === null ? null : at(endsAt),
})

describe('rotation of secrets', () => {
  it('keeps the newest of the old ones for the overlap and ends the others', () => {
    const [older, newest] = [secret(1, 5_000), secret(2)]
    expect(rotate([newest, older], 60, at(1_000))).toEqual({
      ended: [older],
      kept: newest,
      keptUntil: at(61_000),
      createdAt: at(1_000),
    })
  })

  it('without overlap ends them all', () => {
    const secrets = [secret(1, 5_000), secret(2)]
    expect(rotate(secrets, 0, at(1_000))).toMatchObject({ ended: secrets, kept: null, keptUntil: null })
  })

  it('distinguishes secrets of the same millisecond', () => {
    expect(rotate([secret(1_000)], 60, at(1_000)).createdAt).toEqual(at(1_001))
    expect(rotate([secret(2_000)], 60, at(1_000)).createdAt).toEqual(at(2_001))
  })
})
