// The base images of the build and the compose file: pulled, or assembled here under the same names.
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { downloads } from '../../local/config.mjs'
import { fetchParts, node } from '../../local/machine/install.mjs'
import { say, step } from '../../local/machine/progress.mjs'
import { Refusal } from '../../local/machine/refusal.mjs'
import { packagedBinaries } from '../../local/parts/postgres-place.mjs'

const recipe = fileURLToPath(new URL('stand-ins', import.meta.url))
const dockerfile = fileURLToPath(new URL('../Dockerfile', import.meta.url))
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

/** Target of the recipe → the image that it stands in for. */
function imagesOf(engine) {
  const [, nodeImage] = /^ARG NODE_IMAGE=(\S+)$/m.exec(readFileSync(dockerfile, 'utf8'))
  const named = engine.docker(['compose', 'config', '--images']).split('\n')
  const nameOf = (part) => named.find((image) => new RegExp(`(^|/)${part}:`).test(image))
  return { node: nodeImage, postgres: nameOf('postgres'), redis: nameOf('redis'), kafka: nameOf('kafka') }
}

const has = (engine, image) => engine.docker(['image', 'ls', '--quiet', image]) !== ''

function pulled(engine, image) {
  if (has(engine, image)) return true
  try {
    engine.docker(['pull', '--quiet', image])
    return true
  } catch {
    return false
  }
}

function debianTar(folder) {
  const [root, tar, log] = ['debian', 'debian.tar', 'debian.log'].map((name) => join(folder, name))
  if (existsSync(tar)) return
  const output = openSync(log, 'a')
  const run = (file, ...args) => {
    if (spawnSync(file, args, { stdio: ['ignore', output, output] }).status !== 0) throw new Refusal(`${file}: ${log}`)
  }
  run('debootstrap', '--variant=minbase', 'bookworm', root, 'http://deb.debian.org/debian')
  run('tar', '--directory', root, '--create', '--file', tar, '.')
  run('rm', '--recursive', root)
}

/** The build's folder: what Debian's packages do not bring is what this repository runs without Docker. */
async function layOut(folder) {
  mkdirSync(folder, { recursive: true })
  await step('a Debian 12 to put images together on', () => debianTar(folder))
  await fetchParts({ logDir: folder })
  const npm = join(spawnSync('npm', ['root', '--global'], { encoding: 'utf8' }).stdout.trim(), 'npm')
  copyFileSync(node, join(folder, 'node'))
  copyFileSync(CERTIFICATES, join(folder, 'ca-certificates.crt'))
  const folders = { npm, postgres: packagedBinaries(), kafka: join(downloads, 'kafka') }
  for (const [name, from] of Object.entries(folders)) {
    rmSync(join(folder, name), { recursive: true, force: true })
    cpSync(from, join(folder, name), { recursive: true, verbatimSymlinks: true })
  }
  cpSync(recipe, folder, { recursive: true })
}

/**
 * Makes every image available that the build and the compose file name.
 * @returns {Promise<Record<string, string>>} their names by part
 */
export async function provideImages(engine, folder) {
  const images = imagesOf(engine)
  const missing = Object.entries(images).filter(([, image]) => !pulled(engine, image))
  if (missing.length === 0) return images
  const names = missing.map(([, image]) => image).join(', ')
  if (!engine.own) throw new Refusal(`The engine cannot pull ${names}.`)
  say(`no registry has ${names} for us: stand-ins`)
  await layOut(folder)
  for (const [target, image] of missing) {
    await step(`${image} stands in`, () => engine.docker(['build', '--target', target, '--tag', image, folder]))
  }
  return images
}
