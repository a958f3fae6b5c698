// The order of a start: parts beside the build; migrations and topics, each once its part is up; services; seed;
// hand-over.
import { began, outside, portKeys, servicesBuilt, stateDir } from '../config.mjs'
import { writeDemoFile, demoFile } from '../demo/demo-file.mjs'
import { awaitFeed } from '../demo/await-feed.mjs'
import { operatorTokens } from '../demo/operator-token.mjs'
import { OperatorsApi } from '../demo/operators-api.mjs'
import { seed } from '../demo/seed.mjs'
import { summary } from '../demo/summary.mjs'
import { alone } from '../machine/install-lock.mjs'
import { holdFree, holdPorts } from '../machine/ports.mjs'
import { seconds, step } from '../machine/progress.mjs'
import { prepareDatabases } from '../parts/databases.mjs'
import { beginDockerParts, checkDocker } from '../parts/docker.mjs'
import { beginParts } from '../parts/parts.mjs'
import { cleanUpAfterKilled } from '../processes/leftovers.mjs'
import { withStack } from '../processes/with-stack.mjs'
import { runTargets } from '../services/build.mjs'
import { createTopics, migrateAll } from '../services/deploy-steps.mjs'
import { serviceSpecs } from '../services/processes.mjs'
import { databasePasswords, jwksFile, secretsOf } from '../services/secrets.mjs'
import { takeStateFolder } from './state-folder.mjs'

const LOOPBACK = '127.0.0.1'
const untilStopped = new Promise(() => {})

const build = async (stack) =>
  servicesBuilt ||
  step('services built', () => alone(() => runTargets(['build'], { logDir: stack.logDir, onStart: stack.track })))

async function startServices(stack, held, context) {
  await Promise.all(Object.values(held).map((port) => port.release()))
  await Promise.all(
    serviceSpecs(context).map((spec) => step(`${spec.title} is ready`, () => stack.supervisor.start(spec))),
  )
}

async function seedDemo(context) {
  const { ports, tokens, brokers } = context
  const api = new OperatorsApi(`http://127.0.0.1:${ports.gatewayPrivate}/ops/v1`, tokens.token)
  const seeded = await seed({ stateDir, api, brokers })
  await awaitFeed(`http://127.0.0.1:${ports.gatewayPublic}`, seeded)
  context.applications = seeded.applications
}

/** Waits for the parts and creates schemas and topics: migrations run while Kafka is still starting. */
async function preparedParts(begun, built, { logDir, track: onStart, passwords }) {
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
async function bringUp(stack, { docker }) {
  const { logDir, track, supervisor } = stack
  const secrets = secretsOf(stateDir)
  const needed = Object.keys(portKeys).filter((name) => docker || !outside[name])
  const { postgres, redis, kafka, ...held } = await holdPorts(needed)
  const partPorts = { postgres, redis, kafka, controller: await holdFree() }
  const options = { password: secrets.postgres, clusterId: secrets.kafkaClusterId }
  const begun = (docker ? beginDockerParts : beginParts)(stack, partPorts, options)
  const parts = await preparedParts(begun, build(stack), { logDir, track, passwords: databasePasswords(secrets) })
  const ports = Object.fromEntries(Object.entries(held).map(([name, { port }]) => [name, port]))
  const where = { bind: LOOPBACK, hostOf: () => LOOPBACK, jwks: jwksFile(stateDir) }
  const tokens = operatorTokens(secrets)
  const context = { ...parts, ...where, ports, secrets, tokens, stateDir, supervisor }
  await startServices(stack, held, context)
  await step('demo applications and bookings are served', () => seedDemo(context))
  return context
}

/** Runs the stack until it is stopped by a signal. */
export async function runStack({ docker }) {
  if (docker) checkDocker()
  const giveBack = takeStateFolder(stateDir)
  await cleanUpAfterKilled(stateDir)
  let context
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
