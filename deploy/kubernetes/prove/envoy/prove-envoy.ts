// Sends signed requests with unusual paths through an Envoy with the configuration that Envoy Gateway makes of
// `components/gateway-api`: the gateway must answer them as without it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withOwnStack } from '@connectivity/toolkit/own-stack'
import { holdFree } from '../../../local/machine/ports.ts'
import { until } from '@connectivity/toolkit/until'
import { envoy } from '../config.ts'
import { envoyConfiguration, type Identity } from './configuration.ts'
import { type Address, compare, type Compared } from './paths.ts'

const NAME = 'connectivity.example.com'
const LOOPBACK = '127.0.0.1'

function identityFor(folder: string): Identity {
  const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const subject = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`, '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...curve, ...subject, '-keyout', key, '-out', cert], { stdio: 'pipe' })
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
}

async function startEnvoy(folder: string, configuration: object, { host, port }: Address): Promise<ChildProcess> {
  const file = join(folder, 'envoy.json')
  writeFileSync(file, JSON.stringify(configuration))
  const log = openSync(join(folder, 'envoy.log'), 'a')
  const child = spawn(envoy, ['--config-path', file, '--use-dynamic-base-id', '--log-level', 'warn'], {
    stdio: ['ignore', log, log],
  })
  const listens = async () => {
    if (child.exitCode !== null) throw new Error(`Envoy ended: ${readFileSync(join(folder, 'envoy.log'), 'utf8')}`)
    return fetch(`http://${host}:${port}`).then(
      () => true,
      (error: { cause?: { code?: string } }) => error.cause?.code !== 'ECONNREFUSED',
    )
  }
  try {
    await until(listens, { within: 30_000, every: 100, complaint: () => 'Envoy does not listen' })
    return child
  } catch (error) {
    child.kill()
    throw error
  }
}

/** Starts a stack and an Envoy in front of its gateway, and compares what both answer. */
export async function compareThroughEnvoy(): Promise<Compared> {
  const folder = mkdtempSync(join(tmpdir(), 'prove-envoy-'))
  let child: ChildProcess | undefined
  try {
    const { port, release } = await holdFree()
    const at: Address = { host: LOOPBACK, port, name: NAME }
    return await withOwnStack(async ({ base_url, applications }) => {
      const { hostname, port: own } = new URL(base_url)
      const gateway: Address = { host: hostname, port: Number(own) }
      const configuration = await envoyConfiguration(folder, identityFor(folder), { at, gateway })
      await release()
      child = await startEnvoy(folder, configuration, at)
      return compare(gateway, at, applications[0]!.connections[0]!)
    })
  } finally {
    if (child?.kill()) await once(child, 'exit')
    rmSync(folder, { recursive: true })
  }
}
