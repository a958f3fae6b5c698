import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '@connectivity/contracts/errors'
import { pathOf, queryOf } from '@connectivity/contracts/request-target'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { encodingFor } from './compressed-forms.js'
import { htmlText } from './html-text.js'
import { methodNotAllowed } from '../requests/request-line.js'
import { readSite, type SiteFile } from './site-files.js'

/** Placeholder in the built index.html for the nonce of an answer. */
const NONCE = '__CSP_NONCE__'
const NONCE_BYTES = 16
/** Placeholder in the built index.html for the settings of the application. */
const SETTINGS = '__SETTINGS__'
/** Files have their fingerprint in their names. */
const FOR_A_YEAR = 'public, max-age=31536000, immutable'

interface WebApplicationOptions {
  /** Further origins to which its pages may connect. */
  connectsTo?: readonly string[]
  /** Settings that its pages read from index.html. */
  settings?: object | null
}

/**
 * A built browser application, served from memory: its files below `<base>/assets/`, and its index.html at every other
 * path below the base, because the application names its pages itself.
 */
export class WebApplication {
  private readonly index: string
  private readonly assets: ReadonlyMap<string, SiteFile>
  private readonly connectsTo: readonly string[]

  /**
   * @param folder output of Vite's build
   * @param base path under which it is served, such as `/portal`
   * @throws Error when it has not been built
   */
  constructor(
    folder: string,
    private readonly base: string,
    { connectsTo = [], settings = null }: WebApplicationOptions = {},
  ) {
    const index = readFileSync(join(folder, 'index.html'), 'utf8')
    this.index = index.replace(SETTINGS, () => htmlText(JSON.stringify(settings)))
    this.connectsTo = connectsTo
    this.assets = readSite(join(folder, 'assets'))
  }

  /** @throws ServiceError 404 for a file that does not exist, 405 unless the request only reads */
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { method, originalUrl: target } = request
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(method, 'GET, HEAD')
    const path = pathOf(target)
    void reply.headers({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
    if (path === `${this.base}/`) return this.redirect(target, reply)
    const assets = `${this.base}/assets/`
    return path.startsWith(assets) ? this.asset(path.slice(assets.length), request, reply) : this.page(reply)
  }

  private redirect(target: string, reply: FastifyReply): FastifyReply {
    const query = queryOf(target)
    return reply
      .status(308)
      .header('location', query === '' ? this.base : `${this.base}?${query}`)
      .send()
  }

  private asset(name: string, { headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
    const file = this.assets.get(name)
    if (!file)
      throw new ServiceError('not_found', `This file does not exist; reload ${this.base} to get its current ones.`)
    void reply.type(file.type).header('cache-control', FOR_A_YEAR)
    if (Object.keys(file.compressed).length === 0) return reply.send(file.body)
    void reply.header('vary', 'Accept-Encoding')
    const encoding = encodingFor(headers['accept-encoding'], file.compressed)
    if (encoding === null) return reply.send(file.body)
    return reply.header('content-encoding', encoding).send(file.compressed[encoding])
  }

  private page(reply: FastifyReply): FastifyReply {
    const nonce = randomBytes(NONCE_BYTES).toString('base64')
    return reply
      .headers({ 'content-security-policy': this.policy(nonce), 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(this.index.replaceAll(NONCE, nonce))
  }

  /** The nonce is for the style elements of the component library. */
  private policy(nonce: string): string {
    return [
      "default-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      ...(this.connectsTo.length > 0 ? [`connect-src 'self' ${this.connectsTo.join(' ')}`] : []),
      ...["object-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
    ].join('; ')
  }
}
