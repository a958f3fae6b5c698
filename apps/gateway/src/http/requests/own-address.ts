import type { FastifyRequest } from 'fastify'

/** The origin under which the client reached us: as configured, else by the scheme and Host of its request. */
export const ownAddress = ({ protocol, headers }: FastifyRequest, publicUrl: string): string =>
  publicUrl === '' ? `${protocol}://${headers.host ?? ''}` : publicUrl
