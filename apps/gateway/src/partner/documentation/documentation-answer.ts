import { matchesTag } from '@connectivity/service-kit/http'
import type { FastifyReply } from 'fastify'
import { encodingFor } from '../../http/pages/compressed-forms.js'
import type { PartnerRequest } from '../../http/requests/partner-request.js'
import type { DocumentationFile } from './documentation.service.js'

/**
 * Pages load nothing from other origins and hold neither scripts nor styles of their own; icons are in the style sheet.
 */
const POLICY =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  // With `no-referrer` browsers would send the form with `Origin: null`.
  'referrer-policy': 'same-origin',
}

/** A page depends on the session, so only the reader's own browser stores it, and revalidates it each time. */
const ASK_EACH_TIME = 'private, no-cache'
const FOR_A_YEAR = 'private, max-age=31536000, immutable'

/**
 * Headers of a file below the documentation; the description is also a call of the interface, with headers of its own.
 */
const headersOf = ({ isLasting }: DocumentationFile, isPage: boolean): Record<string, string> =>
  isPage
    ? { ...PAGE_HEADERS, vary: 'Accept-Encoding, Cookie', 'cache-control': isLasting ? FOR_A_YEAR : ASK_EACH_TIME }
    : {}

/** Answers with a file, compressed if the client takes that, or with 304 to a client that has it. */
export function send(partner: PartnerRequest, reply: FastifyReply, file: DocumentationFile): FastifyReply {
  const { headers } = partner.http
  const coding = encodingFor(headers['accept-encoding'], file.compressed)
  const tag = coding === null ? `"${file.tag}"` : `"${file.tag}-${coding}"`
  void reply.headers({ ...headersOf(file, partner.route === null), etag: tag })
  if (reply.statusCode === 200 && matchesTag(headers['if-none-match'], tag)) return reply.status(304).send()
  reply.type(file.type)
  return coding === null
    ? reply.send(file.body)
    : reply.header('content-encoding', coding).send(file.compressed[coding])
}

/** Answers with a page that was made for this request. */
export const sendPage = (reply: FastifyReply, html: string): FastifyReply =>
  reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(html)
