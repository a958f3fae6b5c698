import { randomUUID } from 'node:crypto'

const CORRELATION_ID = /^[A-Za-z0-9._-]{8,64}$/

/** The caller's correlation id when it has the accepted form, else a new one. */
export const correlationIdFrom = (header: string | string[] | undefined): string =>
  typeof header === 'string' && CORRELATION_ID.test(header) ? header : randomUUID()
