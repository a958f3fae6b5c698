// The order of a start: parts and build in parallel; migrations and topics, each once its part is up; services; seed;
// hand-over.
import { began, outside, portKeys, servicesBuilt, stateDir } from '../bootstrap/config.mjs'
import type { DemoApplication } from '../../../tools/toolkit/hand-over.ts'
import { demoFile, type RunningStack, writeDemoFile } from '../demo/demo-file.ts'
import { awaitFeed } from '../demo/await-feed.ts'
import { operatorTokens } from '../demo/operator-token.ts'
import { summary } from '../demo/summary.ts'
import { alone } from '../bootstrap/install/install-lock.mjs'
import { type HeldPort, holdFree, holdPorts, type PortName } from '../machine/ports.ts'
import { seconds, step } from '../bootstrap/machine/progress.mjs'
import { prepareDatabases, type RolePasswords } from '../parts/databases.ts'
import { beginDockerParts, checkDocker } from '../parts/docker.ts'
import { type BegunParts, beginParts } from '../parts/parts.ts'
import { cleanUpAfterKilled } from '../bootstrap/processes/leftovers.mjs'
import type { Stack } from '../bootstrap/processes/stack.mjs'
import { withStack } from '../bootstrap/processes/with-stack.mjs'
import { type Recorded, runTargets } from '../services/build.ts'
import { createTopics, migrateAll } from '../services/deploy-steps.ts'
import type { ServiceContext } from '../services/environment.ts'
import type { Database } from '../services/names.ts'
import { serviceSpecs } from '../services/processes.ts'
import { databasePasswords, jwksFile, secretsOf } from '../services/secrets.ts'
import { takeStateFolder } from './state-folder.ts'

const LOOPBACK = '127.0.0.1'
const untilStopped = new Promise<never>(() => {})

interface Options {
  /** Whether the parts run in Docker. */
  docker: boolean
}

type ServicePort = Exclude<PortName, 'postgres' | 'redis' | 'kafka'>

/** A stack whose demo is not seeded yet. */
interface Unseeded extends ServiceContext, Omit<RunningStack, 'applications'> {
  ports: Record<ServicePort, number>
  databaseUrls: Record<Database, string>
  brokers: string[]
}

const build = async (stack: Stack): Promise<unknown> =>
  servicesBuilt ||
  step('services built', () => alone(() => runTargets(['build'], { logDir: stack.logDir, onStart: stack.track })))

async function startServices(
  stack: Stack,
  held: Record<ServicePort, HeldPort>,
  context: ServiceContext,
): Promise<void> {
  await Promise.all(Object.values(held).map((port) => port.release()))
  await Promise.all(
    serviceSpecs(context).map((spec) => step(`${spec.title} is ready`, () => stack.supervisor.start(spec))),
  )
}

/** Its modules import built libraries: on a fresh clone they can be loaded only after the build. */
async function seedDemo({ ports, tokens, brokers }: Unseeded): Promise<DemoApplication[]> {
  const { OperatorsApi } = await import('../../../tools/toolkit/operators-api.ts')
  const { seed } = await import('../demo/seed.ts')
  const api = new OperatorsApi(
    `http://127.0.0.1:${ports.gatewayPrivate}/ops/v1`,
    tokens.token,
    'seed of the local stack',
  )
  const seeded = await seed({ stateDir, api, brokers })
  await awaitFeed(api, seeded)
  return seeded.applications
}

interface Preparation extends Recorded {
  passwords: Record<Database, RolePasswords>
}

/** Waits for the parts and creates schemas and topics: migrations run while Kafka is still starting. */
async function preparedParts(
  begun: BegunParts,
  built: Promise<unknown>,
  { logDir, onStart, passwords }: Preparation,
): Promise<Pick<Unseeded, 'databaseUrls' | 'brokers' | 'redisUrl'>> {
  const prepareSchemas = async () => {
    const [adminUrl] = await Promise.all([begun.adminUrl, built])
    const urls = await prepareDatabases(adminUrl, passwords)
    await step('databases migrated', () => migrateAll({ ...urls, logDir, onStart }))
    return urls.databaseUrls
  }
  const prepareTopics = async () => {
    const [brokers] = await Promise.all([begun.brokers, built])
    await step('topics created', () => createTopics({ brokers, logDir, onStart }))
    return brokers
  }
  const [databaseUrls, brokers, redisUrl] = await Promise.all([prepareSchemas(), prepareTopics(), begun.redisUrl])
  return { databaseUrls, brokers, redisUrl }
}

/** Brings up a stack from an empty folder to health; resolves with the data for demo.json and the summary. */
async function bringUp(stack: Stack, { docker }: Options): Promise<RunningStack> {
  const { logDir, track, supervisor } = stack
  const secrets = secretsOf(stateDir)
  const elsewhere: Partial<Record<PortName, string>> = outside
  const needed = (Object.keys(portKeys) as PortName[]).filter((name) => docker || !elsewhere[name])
  const { postgres, redis, kafka, ...held } = await holdPorts(needed)
  const partPorts = { postgres, redis, kafka, controller: await holdFree() }
  const options = { password: secrets.postgres, clusterId: secrets.kafkaClusterId }
  const begun = (docker ? beginDockerParts : beginParts)(stack, partPorts, options)
  const preparation = { logDir, onStart: track, passwords: databasePasswords(secrets) }
  const parts = await preparedParts(begun, build(stack), preparation)
  const ports = Object.fromEntries(Object.entries(held).map(([name, { port }]) => [name, port])) as Unseeded['ports']
  const where = { bind: LOOPBACK, hostOf: () => LOOPBACK, jwks: jwksFile(stateDir) }
  const tokens = operatorTokens(secrets)
  const context: Unseeded = { ...parts, ...where, ports, secrets, tokens, stateDir, supervisor }
  await startServices(stack, held, context)
  const applications = await step('demo applications and bookings are served', () => seedDemo(context))
  return { ...context, applications }
}

/** Runs the stack until it is stopped by a signal. */
export async function runStack({ docker }: Options): Promise<void> {
  if (docker) checkDocker()
  const giveBack = takeStateFolder(stateDir)
  await cleanUpAfterKilled(stateDir)
  let context: RunningStack | undefined
  const options = {
    dir: stateDir,
    leftovers: [demoFile(stateDir)],
    onChange: () => context && writeDemoFile(context),
    exitCode: () => (context ? 0 : 130),
  }
  return withStack(options, async (stack) => {
    stack.atEnd(giveBack)
    context = await bringUp(stack, { docker })
    writeDemoFile(context)
    process.stdout.write(summary(context, seconds(Date.now() - began)))
    await untilStopped
  })
}
