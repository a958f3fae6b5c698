// The last step of docker-compose.yml: seeds the demo as npm start does, prints the next steps, and runs until it is
// stopped. STATE_DIR/demo.json holds the addresses between the containers, and its presence makes this one healthy;
// STATE_DIR/machine/demo.json holds the addresses on the host.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { stateDir } from '../../local/bootstrap/config.mjs'
import { awaitFeed } from '../../local/demo/await-feed.ts'
import { contentsOf, demoFile } from '../../local/demo/demo-file.ts'
import { operatorTokens } from '../../local/demo/operator-token.ts'
import { OperatorsApi } from '../../../tools/toolkit/operators-api.ts'
import { seed } from '../../local/demo/seed.ts'
import { requestsWith } from '../../local/demo/summary.ts'
import { writeWhole } from '../../local/machine/files.ts'
import { run } from '../../local/bootstrap/machine/run.mjs'
import { runtimeRole } from '../../local/parts/databases.ts'
import { secretsOf } from '../../local/services/secrets.ts'
import type { Database } from '../../local/services/names.ts'
import type { DemoContents } from '../../../tools/toolkit/hand-over.ts'
import { BASE_PATH } from '../../../tools/toolkit/partner.ts'
import { type Addresses, INSIDE, onTheMachine } from './addresses.ts'

const COPY = 'deploy/local/.state-docker'
const forTheMachine = join(stateDir, 'machine')
const files = [demoFile(stateDir), demoFile(forTheMachine)]

const words = ({ publicUrl, privateUrl }: Addresses): string => `
The demo is ready.

  partner interface        ${publicUrl}${BASE_PATH}
  operators (private)      ${privateUrl}/ops/v1

Keys, tokens and addresses, for this machine, and a first signed request with them (bash or zsh, in the repository's
root folder):

docker compose cp demo:/state/machine ${COPY}
${requestsWith(`${COPY}/demo.json`)}

Watch the feed change: docker compose exec demo node deploy/local/demo-book.ts, then with --modify or --cancel.
`

const databaseUrls = (passwords: Record<Database, string>, host: string): Record<Database, string> =>
  Object.fromEntries(
    Object.entries(passwords).map(([name, word]) => [name, `postgres://${runtimeRole(name)}:${word}@${host}/${name}`]),
  ) as Record<Database, string>

const forget = (): void => files.forEach((file) => rmSync(file, { force: true }))

async function serve(): Promise<void> {
  forget()
  const secrets = secretsOf(stateDir)
  const tokens = operatorTokens(secrets)
  const api = new OperatorsApi(`${INSIDE.privateUrl}/ops/v1`, tokens.token, 'seed of the demo')
  const seeded = await seed({ stateDir, api, brokers: INSIDE.brokers })
  await awaitFeed(api, seeded)
  const contentsAt = (where: Addresses): DemoContents =>
    contentsOf({ ...where, ...seeded, tokens, databaseUrls: databaseUrls(secrets.runtimeRoles, where.postgres) })
  mkdirSync(forTheMachine, { recursive: true })
  writeWhole(demoFile(forTheMachine), contentsAt(onTheMachine()))
  writeWhole(demoFile(stateDir), contentsAt(INSIDE))
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
