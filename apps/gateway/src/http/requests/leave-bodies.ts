import type { FastifyInstance } from 'fastify'

/** Disables Fastify's parsers for partner routes: admission has already read the body. */
export function leaveBodiesToAdmission(routes: FastifyInstance): void {
  routes.removeAllContentTypeParsers()
  routes.addContentTypeParser('*', (_request, _payload, done) => done(null))
}
