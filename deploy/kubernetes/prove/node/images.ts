// Images of the services without a Docker engine: the files that deploy/docker/Dockerfile copies, on this machine's
// Node and the libraries that it needs, as an archive in the format of the Open Container Initiative.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeTree } from '../../../docker/production-tree.ts'
import { services } from '../../../local/services/names.ts'

/** The image of the process that holds a pod's namespaces. */
export const SANDBOX = 'docker.io/partner-connectivity/sandbox:local'
/** Where images have their programs. */
export const PATH = 'PATH=/usr/local/bin:/bin'

/** A layer or a document of an image. */
export interface Blob {
  digest: string
  size: number
}

/** Settings of an image, in the terms of its configuration. */
interface Settings {
  Entrypoint?: string[]
  Cmd?: string[]
  User?: string
  WorkingDir?: string
  Env: string[]
}

interface Image {
  name: string
  settings: Settings
  layers: Blob[]
}

const digestOf = (file: string): string =>
  `sha256:${execFileSync('sha256sum', [file], { encoding: 'utf8' }).split(' ')[0]}`

/** Writes images into a folder in the layout of the Open Container Initiative. */
export class Layout {
  private readonly dir: string
  private readonly index: object[] = []

  constructor(dir: string) {
    this.dir = dir
    mkdirSync(join(dir, 'blobs/sha256'), { recursive: true })
  }

  private fileOf(digest: string): string {
    return join(this.dir, 'blobs', digest.replace(':', '/'))
  }

  /** Adds everything in a folder as a layer, and removes the folder. */
  layer(folder: string): Blob {
    const tar = `${folder}.tar`
    const root = ['--owner=0', '--group=0', '--numeric-owner']
    execFileSync('tar', ['--create', '--file', tar, ...root, '--directory', folder, '.'])
    rmSync(folder, { recursive: true })
    const blob = { digest: digestOf(tar), size: statSync(tar).size }
    renameSync(tar, this.fileOf(blob.digest))
    return blob
  }

  private json(content: object): Blob {
    const text = JSON.stringify(content)
    const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
    writeFileSync(this.fileOf(digest), text)
    return { digest, size: Buffer.byteLength(text) }
  }

  image({ name, settings, layers }: Image): void {
    const architecture = process.arch === 'x64' ? 'amd64' : process.arch
    const config = this.json({
      architecture,
      os: 'linux',
      config: settings,
      rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
    })
    const type = (kind: string) => `application/vnd.oci.image.${kind}`
    const manifest = this.json({
      schemaVersion: 2,
      mediaType: type('manifest.v1+json'),
      config: { mediaType: type('config.v1+json'), ...config },
      layers: layers.map((layer) => ({ mediaType: type('layer.v1.tar'), ...layer })),
    })
    const annotations = { 'io.containerd.image.name': name }
    this.index.push({ mediaType: type('manifest.v1+json'), ...manifest, annotations })
  }

  /** @returns the archive */
  close(): string {
    writeFileSync(join(this.dir, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
    writeFileSync(join(this.dir, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: this.index }))
    const archive = `${this.dir}.tar`
    execFileSync('tar', ['--create', '--file', archive, '--directory', this.dir, '.'])
    rmSync(this.dir, { recursive: true })
    return archive
  }
}

function copyFile(from: string, place: string, root: string): void {
  mkdirSync(dirname(join(root, place)), { recursive: true })
  cpSync(realpathSync(from), join(root, place))
}

/**
 * Copies the libraries of this machine that programs or libraries need.
 * @param own folder whose libraries are not copied: they come with the programs
 */
export function copyLibraries(files: readonly string[], root: string, own?: string): void {
  const listed = execFileSync('ldd', files, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const libraries = new Set([...listed.matchAll(/(\/\S+) \(0x/g)].map(([, library]) => library!))
  for (const library of libraries)
    if (own === undefined || !library.startsWith(`${own}/`)) copyFile(library, library, root)
}

/** Copies a program and the libraries that it needs. */
export function copyProgram(program: string, to: string, root: string): void {
  copyFile(program, to, root)
  copyLibraries([program], root)
}

/** Node, and `sleep` for the sandbox. */
function base(folder: string): string {
  copyProgram(process.execPath, 'usr/local/bin/node', folder)
  copyProgram('/bin/sleep', 'bin/sleep', folder)
  for (const empty of ['tmp', 'etc', 'srv']) mkdirSync(join(folder, empty))
  return folder
}

const buildVersion = (): string =>
  (JSON.parse(readFileSync(join(import.meta.dirname, '../../../../package.json'), 'utf8')) as { version: string })
    .version

/** Adds the image of the sandbox. @returns its layer, with Node, on which services stand */
export function addSandbox(layout: Layout, folder: string): Blob {
  const node = layout.layer(base(join(folder, 'base')))
  layout.image({ name: SANDBOX, settings: { Cmd: ['/bin/sleep', 'infinity'], Env: [PATH] }, layers: [node] })
  return node
}

/** Adds the image of a service, tagged `local`, from what `npm run build` has built. */
export function addService(layout: Layout, name: string, { folder, node }: { folder: string; node: Blob }): void {
  const tree = join(folder, name)
  writeTree(name, { packages: join(tree, 'srv'), code: join(tree, 'srv') })
  const settings = {
    Cmd: ['node', '--enable-source-maps', 'app/dist/main.js'],
    User: '1000:1000',
    WorkingDir: '/srv',
    Env: [PATH, 'NODE_ENV=production', `BUILD_VERSION=${buildVersion()}`],
  }
  const image = `docker.io/partner-connectivity/${name}:local`
  layout.image({ name: image, settings, layers: [node, layout.layer(tree)] })
}

/**
 * Makes the images of all services and of the sandbox.
 * @param folder where they are made
 * @returns the archive with all of them
 */
export function makeImages(folder: string): string {
  const layout = new Layout(join(folder, 'images'))
  const node = addSandbox(layout, folder)
  for (const { name } of services) addService(layout, name, { folder, node })
  return layout.close()
}
