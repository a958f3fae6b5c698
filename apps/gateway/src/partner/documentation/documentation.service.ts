import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Inject, Injectable } from '@nestjs/common'
import { readSite, readSiteFile, type SiteFile } from '../../http/pages/site-files.js'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'

/** A served file. */
export interface DocumentationFile extends SiteFile {
  /** Entity tag without its quotes. */
  tag: string
  /** Whether its name holds a hash of its content, so that it never changes. */
  isLasting: boolean
}

const DESCRIPTION = 'openapi.json'
const SIGN_IN = 'sign-in.html'
const NOT_FOUND = '404.html'
const NEEDED = [DESCRIPTION, `public/${SIGN_IN}`, `public/${NOT_FOUND}`, `full/${NOT_FOUND}`]

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
    for (const file of NEEDED) {
      if (!existsSync(join(DOCUMENTATION, file))) throw new Error(`${DOCUMENTATION} holds no ${file}: build it first`)
    }
    this.description = documentationFile(DESCRIPTION, readSiteFile(join(DOCUMENTATION, DESCRIPTION)))
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

const readTree = (folder: string): Files =>
  new Map([...readSite(folder)].map(([path, file]) => [path, documentationFile(path, file)]))

const documentationFile = (path: string, file: SiteFile): DocumentationFile => ({
  ...file,
  tag: hash('sha256', file.body, 'base64url').slice(0, 22),
  isLasting: path.split('/').includes('assets'),
})
