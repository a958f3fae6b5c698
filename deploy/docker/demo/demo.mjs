// The last step of docker-compose.yml: seeds the demo as npm start does, prints the next steps, and runs until it is
// stopped. STATE_DIR/demo.json, which makes it healthy, has the addresses among the containers;
// STATE_DIR/machine/demo.json those for the machine that runs them.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { stateDir } from '../../local/config.mjs'
import { awaitFeed } from '../../local/demo/await-feed.mjs'
import { contentsOf, demoFile } from '../../local/demo/demo-file.mjs'
import { operatorTokens } from '../../local/demo/operator-token.mjs'
import { OperatorsApi } from '../../local/demo/operators-api.mjs'
import { BASE_PATH } from '../../local/demo/partner.mjs'
import { seed } from '../../local/demo/seed.mjs'
import { requestWith } from '../../local/demo/summary.mjs'
import { writeWhole } from '../../local/machine/files.mjs'
import { run } from '../../local/machine/run.mjs'
import { runtimeRole } from '../../local/parts/databases.mjs'
import { secretsOf } from '../../local/services/secrets.mjs'
import { INSIDE, onTheMachine } from './addresses.mjs'

const COPY = 'deploy/local/.state-docker'
const forTheMachine = join(stateDir, 'machine')
const files = [demoFile(stateDir), demoFile(forTheMachine)]

const words = ({ publicUrl, privateUrl }) => `
The demo is ready.

  partner interface        ${publicUrl}${BASE_PATH}
  operators (private)      ${privateUrl}/ops/v1

Keys, tokens and addresses, for this machine, and a first signed request with them (bash or zsh, in the repository's
root folder):

docker compose cp demo:/state/machine ${COPY}
${requestWith(`${COPY}/demo.json`)}

Watch the feed change: docker compose exec demo node deploy/local/demo-book.mjs, then with --modify or --cancel.
`

const databaseUrls = (passwords, host) =>
  Object.fromEntries(
    Object.entries(passwords).map(([name, word]) => [name, `postgres://${runtimeRole(name)}:${word}@${host}/${name}`]),
  )

const forget = () => files.forEach((file) => rmSync(file, { force: true }))

async function serve() {
  forget()
  const secrets = secretsOf(stateDir)
  const tokens = operatorTokens(secrets)
  const api = new OperatorsApi(`${INSIDE.privateUrl}/ops/v1`, tokens.token)
  const seeded = await seed({ stateDir, api, brokers: INSIDE.brokers })
  await awaitFeed(INSIDE.publicUrl, seeded)
  const tell = (where) =>
    contentsOf({ ...where, ...seeded, tokens, databaseUrls: databaseUrls(secrets.runtimeRoles, where.postgres) })
  mkdirSync(forTheMachine, { recursive: true })
  writeWhole(demoFile(forTheMachine), tell(onTheMachine()))
  writeWhole(demoFile(stateDir), tell(INSIDE))
  process.stdout.write(words(onTheMachine()))
}

const stay = setInterval(() => {}, 2 ** 30)
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => {
    forget()
    process.exit(0)
  })
}
await run(serve)
if (process.exitCode) clearInterval(stay)
