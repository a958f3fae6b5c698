// Messages from a forked process to its benchmark.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Sends the benchmark a message. */
export const sendToParent = (message: unknown): void => void process.send?.(message)

/** Listens on a free port of this machine and sends the benchmark its number. */
export function serve(server: Server): void {
  server.listen(0, '127.0.0.1', () => sendToParent((server.address() as AddressInfo).port))
}
