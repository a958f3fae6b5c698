import { rotate } from './secret-rotation.js'

const at = (ms: number) => new Date(ms)
const secret = (createdAt: number, endsAt: number | null = null) => ({
  createdAt: at(createdAt),
  endsAt: endsAt === null ? null : at(endsAt),
})

describe('rotation of secrets', () => {
  it('keeps the newest of the old ones for the overlap and ends the others', () => {
    const [older, newest] = [secret(1, 5_000), secret(2)]
    expect(rotate([older, newest], 60, at(1_000))).toEqual({
      past: [],
      ended: [older],
      kept: newest,
      keptUntil: at(61_000),
      createdAt: at(1_000),
    })
  })

  it('without overlap ends them all', () => {
    const [older, newest] = [secret(1, 5_000), secret(2)]
    expect(rotate([older, newest], 0, at(1_000))).toMatchObject({ ended: [newest, older], kept: null, keptUntil: null })
  })

  it('distinguishes secrets that end now from those that had ended', () => {
    const [past, newest] = [secret(1, 1_000), secret(2)]
    expect(rotate([past, newest], 60, at(1_000))).toMatchObject({ past: [past], ended: [], kept: newest })
    expect(rotate([past, newest], 0, at(1_000))).toMatchObject({ past: [past], ended: [newest], kept: null })
  })

  it('distinguishes secrets of the same millisecond', () => {
    expect(rotate([secret(1_000)], 60, at(1_000)).createdAt).toEqual(at(1_001))
    expect(rotate([secret(2_000)], 60, at(1_000)).createdAt).toEqual(at(2_001))
  })
})
