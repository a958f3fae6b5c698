// PostgreSQL, Redis and Kafka as the containers of docker-compose.yml: npm start -- --docker. The engine supervises
// them; their volumes keep the data until `npm run reset`.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { childEnvironment, nameOf, root } from '../bootstrap/config.mjs'
import { command } from '../bootstrap/processes/command.mjs'
import { step } from '../bootstrap/machine/progress.mjs'
import { Refusal } from '../bootstrap/machine/refusal.mjs'
import type { Stack } from '../bootstrap/processes/stack.mjs'
import type { BegunParts, PartAddresses, PartPorts } from './parts.ts'

const WITHOUT = 'start it, or run npm start without --docker (needs Java 17 or newer and Maven).'

/** @throws Refusal with the sentence when docker does not succeed */
function answers(args: string[], sentence: string): void {
  const answer = spawnSync('docker', args, { encoding: 'utf8', timeout: 15_000 })
  if ((answer.error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT')
    throw new Refusal(`There is no docker on this machine: install it and ${WITHOUT}`)
  if (answer.error || answer.status !== 0) throw new Refusal(sentence)
}

/** Refuses when no engine or no compose plugin answers. */
export function checkDocker(): void {
  answers(['version', '--format', '{{.Server.Version}}'], `No Docker engine answers: ${WITHOUT}`)
  answers(['compose', 'version'], 'Docker has no compose plugin: install it (apt-get install docker-compose-plugin).')
}

const compose = (stateDir: string, ...args: string[]): string[] => [
  'compose',
  '--file',
  join(root, 'docker-compose.yml'),
  '--project-name',
  `partner-connectivity-${nameOf(stateDir)}`,
  ...args,
]

const portsOf = (ports: PartPorts): NodeJS.ProcessEnv => ({
  POSTGRES_PORT: String(ports.postgres.port),
  REDIS_PORT: String(ports.redis.port),
  KAFKA_PORT: String(ports.kafka.port),
})

async function startDockerParts(stack: Stack, ports: PartPorts, password: string): Promise<PartAddresses> {
  const env = { ...portsOf(ports), POSTGRES_PASSWORD: password, REDIS_PASSWORD: password }
  await Promise.all(Object.values(ports).map((port) => port.release()))
  const up = compose(stack.dir, 'up', '--detach', '--wait', 'postgres', 'redis', 'kafka')
  const stop = compose(stack.dir, 'stop', '--timeout', '8')
  stack.atEnd(() => void spawnSync('docker', stop, { stdio: 'ignore', env: childEnvironment(env) }))
  const log = join(stack.logDir, 'docker-compose.log')
  await step('PostgreSQL, Redis and Kafka are up in Docker', () =>
    command('docker', up, { env, log, onStart: stack.track }),
  )
  return {
    adminUrl: `postgres://postgres:${password}@127.0.0.1:${ports.postgres.port}/postgres`,
    redisUrl: `redis://:${password}@127.0.0.1:${ports.redis.port}`,
    brokers: [`127.0.0.1:${ports.kafka.port}`],
  }
}

/** Like `beginParts`, with containers; all of them are up at the same time. */
export function beginDockerParts(stack: Stack, ports: PartPorts, { password }: { password: string }): BegunParts {
  const parts = startDockerParts(stack, ports, password)
  const part = <Name extends keyof PartAddresses>(name: Name): Promise<PartAddresses[Name]> =>
    parts.then((all) => all[name])
  return { adminUrl: part('adminUrl'), redisUrl: part('redisUrl'), brokers: part('brokers') }
}

/** Removes a stack's containers and volumes, if Docker is installed. */
export const removeDockerParts = (stateDir: string): void =>
  void spawnSync('docker', compose(stateDir, 'down', '--volumes'), { stdio: 'ignore', timeout: 60_000 })
