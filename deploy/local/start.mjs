#!/usr/bin/env node
// npm start [-- --docker]: the whole system on one machine, until Ctrl-C. STATE_DIR and the ports: config.mjs.
import { ready } from './bootstrap/install/ready.mjs'
import { Refusal } from './bootstrap/machine/refusal.mjs'
import { run } from './bootstrap/machine/run.mjs'
import { runAgain } from './bootstrap/install/own-node.mjs'

const HELP = `npm start                 PostgreSQL, Redis and Kafka natively, the five services, two demo properties
npm start -- --docker     the same with PostgreSQL, Redis and Kafka from docker-compose.yml

Environment (deploy/local/bootstrap/config.mjs lists all keys):
STATE_DIR                 folder of this stack's data, logs and demo.json (default deploy/local/.state)
GATEWAY_PUBLIC_PORT ...   ports; a default port that is taken is replaced by a free one
DATABASE_URL, REDIS_URL, KAFKA_BROKERS   addresses of running parts, used instead of starting them
REDIS_SERVER              program of another Redis or Valkey to start
`

await run(async () => {
  const args = process.argv.slice(2)
  if (args.includes('--help')) return void process.stdout.write(HELP)
  const unknown = args.find((arg) => arg !== '--docker')
  if (unknown) throw new Refusal(`npm start does not know ${unknown}; it takes --docker and --help.`)
  const docker = args.includes('--docker')
  if (!(await ready({ parts: !docker }))) return runAgain()
  const { runStack } = await import('./start/run-stack.ts')
  return runStack({ docker })
})
