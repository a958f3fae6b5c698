import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { Inject, Injectable } from '@nestjs/common'
import { type CompressedForms, compressedForms, originalOf } from '../../http/compressed-forms.js'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'

/** A served file. */
export interface DocumentationFile {
  body: Buffer
  /** Compressed forms of the body, where they are smaller. */
  compressed: CompressedForms
  type: string
  /** Entity tag without its quotes. */
  tag: string
  /** Whether its name holds a hash of its content, so that it never changes. */
  isLasting: boolean
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.md': 'text/markdown; charset=utf-8',
}
/** Media type of all other files: samples of code and llms.txt. */
const TEXT = 'text/plain; charset=utf-8'

const DESCRIPTION = 'openapi.json'
const SIGN_IN = 'sign-in.html'
const NOT_FOUND = '404.html'

type Files = ReadonlyMap<string, DocumentationFile>

/**
 * The built documentation, in memory. It is built twice: for the public, and for signed-in readers with the
 * reference in its pages, its menu and its search.
 */
@Injectable()
export class Documentation {
  /** The interface in OpenAPI 3.0. */
  readonly description: DocumentationFile
  private readonly forAll: Files
  private readonly forReaders: Files

  /** @throws Error when it has not been built */
  constructor(@Inject(GATEWAY_CONFIG) { DOCUMENTATION }: Pick<GatewayConfig, 'DOCUMENTATION'>) {
    const description = join(DOCUMENTATION, DESCRIPTION)
    if (!existsSync(description)) throw new Error(`${DOCUMENTATION} holds no ${DESCRIPTION}: build it first`)
    this.description = readFile(description)
    this.forAll = readTree(join(DOCUMENTATION, 'public'))
    this.forReaders = new Map([...readTree(join(DOCUMENTATION, 'full')), [DESCRIPTION, this.description]])
  }

  /** @param name path below `/docs/`: pages have no `.html`, the first page has an empty name */
  find(name: string, isReader: boolean): DocumentationFile | undefined {
    return fileIn(isReader ? this.forReaders : this.forAll, name)
  }

  /** The sign-in page with its placeholders. */
  get signInPage(): string {
    return this.forAll.get(SIGN_IN)!.body.toString()
  }

  /** The page for an address that names none. */
  notFoundPage(isReader: boolean): DocumentationFile {
    return fileIn(isReader ? this.forReaders : this.forAll, NOT_FOUND)!
  }
}

const fileIn = (files: Files, name: string): DocumentationFile | undefined =>
  name === '' || name.endsWith('/')
    ? files.get(`${name}index.html`)
    : (files.get(name) ?? files.get(`${name}.html`) ?? files.get(`${name}/index.html`))

function readTree(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const isOriginal = (path: string): boolean => originalOf(path) === null
  return new Map(paths.filter(isOriginal).map((path) => [relative(folder, path).split(sep).join('/'), readFile(path)]))
}

function readFile(path: string): DocumentationFile {
  const body = readFileSync(path)
  const tag = hash('sha256', body, 'base64url').slice(0, 22)
  const compressed = compressedForms((suffix) => (existsSync(path + suffix) ? readFileSync(path + suffix) : undefined))
  const isLasting = path.split(sep).includes('assets')
  return { body, compressed, type: types[extname(path)] ?? TEXT, tag, isLasting }
}
