import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy in front of PostgreSQL, Redis or Kafka whose connections a test can cut, freeze and restore. */
export class CuttableProxy {
  private readonly sockets = new Set<Socket>()
  private cut = false
  private frozen = false
  private readonly server = createServer((near) => {
    if (this.cut) return near.destroy()
    if (this.frozen) return void this.sockets.add(near.on('error', () => undefined))
    const far = connect(this.port, this.host)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => this.sockets.delete(from) && to.destroy())
      from.pipe(to)
    }
  })

  private constructor(
    private readonly host: string,
    private readonly port: number,
  ) {}

  /** @returns the proxy and the address to use instead of the given one */
  static async before(address: string): Promise<{ proxy: CuttableProxy; url: string }> {
    const url = new URL(address)
    const proxy = new CuttableProxy(url.hostname, Number(url.port || 5432))
    proxy.server.listen(0, '127.0.0.1')
    await once(proxy.server, 'listening')
    url.hostname = '127.0.0.1'
    url.port = String((proxy.server.address() as AddressInfo).port)
    return { proxy, url: url.href }
  }

  /** Ends every connection and accepts no new ones. */
  cutOff(): void {
    this.cut = true
    for (const socket of this.sockets) socket.destroy()
  }

  /** Stops all data; existing connections stay open, and new ones are accepted. */
  freeze(): void {
    this.frozen = true
    for (const socket of this.sockets) socket.pause()
  }

  /** Restores service. Ends frozen connections, so that no client waits for data they have lost. */
  mend(): void {
    this.cut = false
    if (!this.frozen) return
    this.frozen = false
    for (const socket of this.sockets) socket.destroy()
  }

  stop(): void {
    this.cutOff()
    this.server.close()
  }
}
