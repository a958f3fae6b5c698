// The text that a newcomer reads when the stack is ready.
import { relative } from 'node:path'
import { root, stateDir } from '../bootstrap/config.mjs'
import { demoFile, type RunningStack } from './demo-file.ts'
import { BASE_PATH } from './partner.ts'

const own = relative(root, stateDir) === 'deploy/local/.state'
const shown = own ? 'deploy/local/.state/demo.json' : demoFile(stateDir)
const prefix = own ? '' : `STATE_DIR=${stateDir} `

/** A first signed request with the keys in `file`, ready to paste into a shell in the repository's root folder. */
export const requestWith = (file: string): string => String.raw`DEMO=${file}
demo() { node -p "const d = JSON.parse(require('fs').readFileSync('$DEMO')), c = d.applications[0].connections[0]; $1"; }
BASE_URL=$(demo d.base_url)
PROPERTY_ID=$(demo c.property_id)
KEY_ID=$(demo c.signing.key_id)
SIGNING_SECRET=$(demo c.signing.signing_secret)
API_PATH=${BASE_PATH}/reservations
TIMESTAMP=$(date +%s)
BODY_HASH=$(printf '' | openssl dgst -sha256 -r | cut -d' ' -f1)
SIGNATURE=$(printf 'GET\n%s\n%s\n%s' "$API_PATH" "$TIMESTAMP" "$BODY_HASH" | openssl dgst -sha256 -hmac "$SIGNING_SECRET" -r | cut -d' ' -f1)
curl -sS "$BASE_URL$API_PATH?property_id=$PROPERTY_ID&limit=5" -H "X-Service-Key-Id: $KEY_ID" -H "X-Service-Timestamp: $TIMESTAMP" -H "X-Service-Signature: $SIGNATURE"`

/** A first signed request to the stack of this state folder. */
export const firstRequest = requestWith(shown)

/** Fields of a stack that the text shows. */
type ShownStack = Pick<RunningStack, 'ports' | 'brokers' | 'databaseUrls' | 'redisUrl'>

const rows = ({ ports, brokers, databaseUrls, redisUrl }: ShownStack): [title: string, value: string][] => [
  ['partner interface', `http://127.0.0.1:${ports.gatewayPublic}${BASE_PATH}`],
  ['documentation', `http://127.0.0.1:${ports.gatewayPublic}/docs (log in with the OAuth client in demo.json)`],
  ['operators (private)', `http://127.0.0.1:${ports.gatewayPrivate}/ops/v1`],
  ['Kafka', brokers.join(',')],
  ['PostgreSQL', new URL(databaseUrls.gateway).host],
  ['Redis', new URL(redisUrl).host],
  ['keys, tokens, addresses', shown],
  ['logs', relative(root, `${stateDir}/logs`)],
]

/** The text printed when everything is healthy. */
export function summary(context: ShownStack, took: string): string {
  const table = rows(context).map(([title, value]) => `  ${title.padEnd(24)} ${value}`)
  return `
Ready after ${took}.

${table.join('\n')}

A first signed request (bash or zsh, in the repository's root folder):

${firstRequest}

Watch the feed change: ${prefix}npm run demo:book, then -- --modify or -- --cancel, and send the request again.
Stop with Ctrl-C; the data stays until ${prefix}npm run reset.
`
}
