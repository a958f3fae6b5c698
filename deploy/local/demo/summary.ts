// The text that a newcomer reads when the stack is ready.
import { relative } from 'node:path'
import { root, stateDir } from '../bootstrap/config.mjs'
import { demoFile, type RunningStack } from './demo-file.ts'
import { BASE_PATH } from '../../../tools/toolkit/partner.ts'

/** Quotes a path for the shell, unless it needs no quotes. */
export const quoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`

const own = relative(root, stateDir) === 'deploy/local/.state'
const shown = own ? 'deploy/local/.state/demo.json' : demoFile(stateDir)
const prefix = own ? '' : `STATE_DIR=${quoted(stateDir)} `

/**
 * Signed requests ready to paste into bash or zsh in the repository's root folder. Each is signed when it is sent;
 * `poll` asks for the changes since its last answer.
 * @param file holds the keys; a word of the shell
 */
export const requestsWith = (file: string): string => String.raw`DEMO=${file}
demo() { DEMO="$DEMO" node -p "const d = JSON.parse(require('fs').readFileSync(process.env.DEMO)), c = d.applications[0].connections[0]; $1"; }
BASE_URL=$(demo d.base_url)
PROPERTY_ID=$(demo c.property_id)
KEY_ID=$(demo c.signing.key_id)
SIGNING_SECRET=$(demo c.signing.signing_secret)
signed() {
  local target="${BASE_PATH}$1" timestamp="$(date +%s)" signed_path hash signature
  signed_path=$(printf %s "$target" | cut -d'?' -f1)
  hash=$(printf '' | openssl dgst -sha256 -r | cut -d' ' -f1)
  signature=$(printf 'GET\n%s\n%s\n%s' "$signed_path" "$timestamp" "$hash" | openssl dgst -sha256 -hmac "$SIGNING_SECRET" -r | cut -d' ' -f1)
  shift
  curl -sS "$BASE_URL$target" "$@" -w '\n' -H "X-Service-Key-Id: $KEY_ID" -H "X-Service-Timestamp: $timestamp" -H "X-Service-Signature: $signature"
}
poll() {
  local head="$(mktemp)" next
  signed "/reservations?property_id=$PROPERTY_ID&limit=5&updated_since=$CHECKPOINT" -D "$head"
  next=$(awk 'tolower($1) == "service-checkpoint:" { print $2 }' "$head" | tr -d '\r')
  [ -z "$next" ] || CHECKPOINT=$next
  rm "$head"
}
signed "/reservations?property_id=$PROPERTY_ID&limit=5"
CHECKPOINT=9999-12-31T00:00:00Z
poll`

/** Fields of a stack that the text shows. */
type ShownStack = Pick<RunningStack, 'ports' | 'brokers' | 'databaseUrls' | 'redisUrl'>

const rows = ({ ports, brokers, databaseUrls, redisUrl }: ShownStack): [title: string, value: string][] => [
  ['partner interface', `http://127.0.0.1:${ports.gatewayPublic}${BASE_PATH}`],
  [
    'documentation',
    `http://127.0.0.1:${ports.gatewayPublic}/docs (for the reference sign in with a key or client of demo.json)`,
  ],
  [
    'partner portal',
    `http://127.0.0.1:${ports.gatewayPublic}/portal (sign in with the link that ${prefix}npm run demo:portal prints)`,
  ],
  ['console (private)', `http://127.0.0.1:${ports.gatewayPrivate}/console (paste a token of demo.json: ops.token)`],
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

First signed requests (bash or zsh, in the repository's root folder):

${requestsWith(quoted(shown))}

Change something with ${prefix}npm run demo:book, then -- --modify or -- --cancel, and poll again.
Follow the feed in another terminal with ${prefix}npm run demo:watch.
Stop with Ctrl-C; the data stays until ${prefix}npm run reset.
`
}
