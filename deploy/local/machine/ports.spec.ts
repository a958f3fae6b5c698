import { createServer, type AddressInfo, type Server } from 'node:net'
import { portKeys } from '../bootstrap/config.mjs'
import { freePort, hold, holdFree, holdPorts } from './ports.ts'
import { Refusal } from '../bootstrap/machine/refusal.mjs'

const listenOn = (host: string) =>
  new Promise<Server>((resolve) => {
    const server = createServer().listen(0, host, () => resolve(server))
  })
const portOf = (server: Server) => (server.address() as AddressInfo).port

describe('ports', () => {
  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
    delete process.env.CATALOG_PORT
  })
  const taken = async (host = '127.0.0.1') => {
    const server = await listenOn(host)
    servers.push(server)
    return portOf(server)
  }

  it.each(['127.0.0.1', '0.0.0.0'])('are not held while a process listens on %s', async (host) => {
    expect(await hold(await taken(host))).toBeUndefined()
  })

  it('stay held until they are released', async () => {
    const first = (await holdFree())!
    expect(await hold(first.port)).toBeUndefined()
    await first.release()
    const again = (await hold(first.port))!
    expect(again.port).toBe(first.port)
    await again.release()
  })

  it('are given once, although they are free again', async () => {
    const given: number[] = []
    while (given.length < 600) given.push(await freePort())
    expect(new Set(given).size).toBe(600)
  })

  it('are replaced by a free one when the default is taken', async () => {
    const { port } = portKeys.catalog
    portKeys.catalog.port = await taken()
    const { catalog } = await holdPorts(['catalog'])
    expect(catalog.port).not.toBe(portKeys.catalog.port)
    await catalog.release()
    portKeys.catalog.port = port
  })

  it('are refused in one sentence when the environment names a taken one or an invalid one', async () => {
    process.env.CATALOG_PORT = String(await taken())
    await expect(holdPorts(['catalog'])).rejects.toThrow(/^Port \d+ \(CATALOG_PORT\) is taken: .*\.$/)
    for (const wrong of ['80a', '0', '65536', '-1']) {
      process.env.CATALOG_PORT = wrong
      await expect(holdPorts(['catalog'])).rejects.toThrow(Refusal)
    }
  })
})
