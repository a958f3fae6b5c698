import { HostAddresses } from './host-addresses.js'

const answer = (address: string, ttl = 60) => ({ address, ttl })

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
