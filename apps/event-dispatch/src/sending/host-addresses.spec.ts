import { jest } from '@jest/globals'
import { type DnsAnswer, HostAddresses } from './host-addresses.js'

/** Most answers kept at once. */
const MOST = 2_000

const answer = (address: string, ttl = 60) => ({ address, ttl })

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] }))
afterEach(() => void jest.useRealTimers())

describe("addresses of callbacks' hosts", () => {
  it('are resolved once at a time and shared by a burst', async () => {
    let questions = 0
    const hosts = new HostAddresses(async () => [answer(`192.0.2.${++questions}`)])
    const asked = await Promise.all([hosts.of('a.test'), hosts.of('a.test'), hosts.of('b.test')])
    expect(asked).toEqual([['192.0.2.1'], ['192.0.2.1'], ['192.0.2.2']])
    expect(await hosts.of('a.test')).toEqual(['192.0.2.1'])
    expect(questions).toBe(2)
  })

  it('are resolved again after a failure', async () => {
    let questions = 0
    const hosts = new HostAddresses(async () => {
      questions += 1
      if (questions === 1) throw new Error('SERVFAIL')
      return [answer('192.0.2.1')]
    })
    await expect(hosts.of('a.test')).rejects.toThrow('SERVFAIL')
    expect(await hosts.of('a.test')).toEqual(['192.0.2.1'])
  })

  it('expire by their own answer, not by that of an earlier query that was evicted', async () => {
    const answers: ((found: DnsAnswer[]) => void)[] = []
    const hosts = new HostAddresses((name) =>
      name === 'a.test' ? new Promise((resolve) => answers.push(resolve)) : Promise.resolve([answer('192.0.2.2')]),
    )
    const evicted = hosts.of('a.test')
    await Promise.all(Array.from({ length: MOST }, (_, index) => hosts.of(`${index}.test`)))
    const current = hosts.of('a.test')
    answers[0]!([answer('192.0.2.1', 1)])
    await evicted
    jest.advanceTimersByTime(1_001)
    expect(hosts.of('a.test')).toBe(current)
    expect(answers).toHaveLength(2)
  })

  it('are refused when a name has more than 64 of them', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => answer(`192.0.2.${index}`))
    const hosts = new HostAddresses(async (name) => many(name === 'many.test' ? 64 : 65))
    expect(await hosts.of('many.test')).toHaveLength(64)
    await expect(hosts.of('too-many.test')).rejects.toThrow('more than 64 addresses')
  })

  it('are those of this machine for localhost and the address itself for an address, without a query', async () => {
    const hosts = new HostAddresses(() => Promise.reject(new Error('asked')))
    for (const name of ['localhost', 'hooks.localhost']) expect(await hosts.of(name)).toEqual(['127.0.0.1', '::1'])
    for (const address of ['8.8.8.8', '::1']) expect(await hosts.of(address)).toEqual([address])
    await expect(hosts.of('notlocalhost')).rejects.toThrow('asked')
  })
})
