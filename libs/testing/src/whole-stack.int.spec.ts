import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { WholeStack } from './whole-stack.js'

/** Folders of this process; other workers may have stacks at the same time. */
const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`own-stack-${process.pid}-`))

describe('a whole stack that cannot start', () => {
  it('fails with the message of the launcher and leaves no folder', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await expect(WholeStack.start({ ARI_PORT: String(port) })).rejects.toThrow(
      `Port ${port} (ARI_PORT) is taken: stop what listens there`,
    )
    server.close()
    await once(server, 'close')
    expect(folders()).toEqual([])
  })
})
