import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { Inject, Injectable } from '@nestjs/common'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'

/** A served file. */
export interface DocumentationFile {
  body: Buffer
  type: string
  /** Strong entity tag. */
  tag: string
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const DESCRIPTION = 'openapi.json'
const START = 'index.html'

/** The built documentation, in memory: the description of the interface and the pages. */
@Injectable()
export class Documentation {
  private readonly files: ReadonlyMap<string, DocumentationFile>

  /** @throws Error when it has not been built */
  constructor(@Inject(GATEWAY_CONFIG) { DOCUMENTATION }: Pick<GatewayConfig, 'DOCUMENTATION'>) {
    this.files = new Map(readdirSync(DOCUMENTATION).map((name) => [name, readFile(join(DOCUMENTATION, name))]))
    if (!this.files.has(DESCRIPTION)) throw new Error(`${DOCUMENTATION} holds no ${DESCRIPTION}: build it first`)
  }

  /** The interface in OpenAPI 3.0. */
  get description(): DocumentationFile {
    return this.files.get(DESCRIPTION)!
  }

  /** @param name path below `/docs/`: pages have no `.html`, the first page has an empty name */
  page(name: string): DocumentationFile | undefined {
    return this.files.get(name === '' ? START : name) ?? this.files.get(`${name}.html`)
  }
}

function readFile(path: string): DocumentationFile {
  const body = readFileSync(path)
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  return { body, type: types[extname(path)] ?? 'application/octet-stream', tag: `"${digest}"` }
}
