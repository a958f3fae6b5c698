import { createServer, connect, type AddressInfo, type Socket } from 'node:net'

/** A way to PostgreSQL that can be cut: sessions end, new ones are refused until it is mended. */
export interface Proxy {
  url: string
  cut: () => void
  mend: () => void
  close: () => Promise<void>
}

/** Opens a proxy in front of a database address. */
export async function openProxy(databaseUrl: string): Promise<Proxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let open = true
  const server = createServer((inside) => {
    if (!open) return inside.destroy()
    const outside = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => undefined).on('close', () => other.destroy() && sockets.delete(socket))
      socket.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  const cut = () => {
    open = false
    for (const socket of sockets) socket.destroy()
  }
  return { url: url.href, cut, mend: () => void (open = true), close: () => closeServer(server, cut) }
}

async function closeServer(server: ReturnType<typeof createServer>, cut: () => void): Promise<void> {
  cut()
  await new Promise((resolve) => server.close(resolve))
}
