import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Layout } from './images.ts'

interface Descriptor {
  mediaType: string
  digest: string
  size: number
  annotations?: Record<string, string>
}

const dir = mkdtempSync(join(tmpdir(), 'images-'))
const unpacked = join(dir, 'unpacked')
afterAll(() => rmSync(dir, { recursive: true }))

/** Reads a blob, whose bytes must be those that its descriptor promises. */
function blob({ digest, size }: Descriptor): Buffer {
  const bytes = readFileSync(join(unpacked, 'blobs', digest.replace(':', '/')))
  expect(bytes.length).toBe(size)
  expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(digest)
  return bytes
}

const json = <T>(descriptor: Descriptor): T => JSON.parse(blob(descriptor).toString()) as T

beforeAll(() => {
  const layout = new Layout(join(dir, 'layout'))
  mkdirSync(join(dir, 'files/srv'), { recursive: true })
  writeFileSync(join(dir, 'files/srv/main.js'), 'started()')
  const layer = layout.layer(join(dir, 'files'))
  layout.image({ name: 'example/one:local', settings: { Cmd: ['node', 'main.js'], Env: ['A=1'] }, layers: [layer] })
  layout.image({ name: 'example/two:local', settings: { Cmd: ['sleep'], Env: [] }, layers: [layer, layer] })
  mkdirSync(unpacked)
  execFileSync('tar', ['--extract', '--file', layout.close(), '--directory', unpacked])
})

describe('an archive of images', () => {
  it('names its images, whose manifests, settings and layers are there', () => {
    const index = JSON.parse(readFileSync(join(unpacked, 'index.json'), 'utf8')) as { manifests: Descriptor[] }
    const images = index.manifests.map((manifest) => {
      const { config, layers } = json<{ config: Descriptor; layers: Descriptor[] }>(manifest)
      const settings = json<{ config: object; rootfs: { diff_ids: string[] } }>(config)
      layers.forEach(blob)
      expect(settings.rootfs.diff_ids).toEqual(layers.map(({ digest }) => digest))
      return [manifest.annotations!['io.containerd.image.name'], settings.config, layers.length]
    })
    expect(images).toEqual([
      ['example/one:local', { Cmd: ['node', 'main.js'], Env: ['A=1'] }, 1],
      ['example/two:local', { Cmd: ['sleep'], Env: [] }, 2],
    ])
  })

  it('holds the files of a folder as a layer that belongs to root', () => {
    const [manifest] = (JSON.parse(readFileSync(join(unpacked, 'index.json'), 'utf8')) as { manifests: Descriptor[] })
      .manifests
    const [layer] = json<{ layers: [Descriptor] }>(manifest!).layers
    const file = join(unpacked, 'blobs', layer.digest.replace(':', '/'))
    const listed = execFileSync('tar', ['--list', '--verbose', '--numeric-owner', '--file', file], { encoding: 'utf8' })
    expect(listed).toMatch(/0\/0 .* \.\/srv\/main\.js$/m)
  })
})
