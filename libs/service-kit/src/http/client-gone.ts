import type { IncomingMessage } from 'node:http'
import { ServiceError } from '@connectivity/contracts/errors'

/** Runs `work` with a signal that aborts when the client closes its connection before the work has ended. */
export async function whileClientWaits<T>(
  { socket }: IncomingMessage,
  work: (gone: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController()
  const leave = () => gone.abort(new ServiceError('service_unavailable', 'The client has left.'))
  socket.once('close', leave)
  try {
    return await work(gone.signal)
  } finally {
    socket.off('close', leave)
  }
}
