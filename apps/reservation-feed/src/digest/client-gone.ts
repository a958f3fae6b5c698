import { ServiceError } from '@connectivity/contracts/errors'
import type { FastifyReply } from 'fastify'

/** Aborts when the client disconnects before its answer has been sent. */
export function clientGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => gone.abort(new ServiceError('service_unavailable', 'The client has left.')))
  return gone.signal
}
