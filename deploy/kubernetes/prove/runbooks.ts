// Runs the `kubectl` lines of the pages for operators against the cluster that has everything applied.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { documented, partOfPage } from '@connectivity/toolkit/backup-page'
import { NAMESPACE, root } from './config.ts'
import { type Kubectl, nameOfLivingPod, type Pod } from './kubectl.ts'

const PAGES = 'docs/operations'

/** Commands that need a node. */
const NEEDS_A_NODE = /\b(logs|exec|port-forward|wait|rollout status)\b/
/** Lines that are parts of a longer script, or name a file the reader must supply. */
const IS_A_PART = /[$\\…]|\|$|--kustomize|--filename -|^kubectl port-forward$/
/** Lines about pods of third-party operators, which the proof does not run. */
const NEEDS_MORE_THAN_A_NODE = /plugin-barman-cloud/
/** Long-running commands: pattern, timeout in seconds, expected output. */
const [RUNS_ON, ENDED_AFTER, WORKS] = [/ port-forward /, 5, /^Forwarding from/m]

/** Values of placeholders. */
const STANDS_FOR: readonly (readonly [RegExp, string])[] = [
  [/<service>/g, 'gateway'],
  [/(job) <name>/g, '$1 migrate-gateway'],
  [/(certificate|externalsecret) <name>/g, '$1 $NAME'],
  [/(certificaterequest) <name>/g, '$1 none --ignore-not-found'],
]

/** Command without variable assignment; arguments filled in. */
const commandOf = (line: string): string =>
  (/^\w+=\$\((kubectl .+)\)$/.exec(line)?.[1] ?? line).replace(
    'get cluster.postgresql.cnpg.io "$1"',
    'get cluster.postgresql.cnpg.io reservation-feed-database',
  )

/** Commands in code, whole fenced lines and inline code. */
function commandsOf(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8')
  const fenced = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, code]) => code!.split('\n'))
  const inline = [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/`(kubectl [^`]+)`/g)].map(([, code]) => code!)
  return [...fenced, ...inline]
    .map((line) => commandOf(line.replaceAll(/\s+/g, ' ').trim()))
    .filter((line) => line.startsWith('kubectl '))
}

function filledIn(command: string, pod: string): string {
  const name = command.includes('externalsecret') ? 'gateway' : 'gateway-internal'
  const text = STANDS_FOR.reduce((line, [pattern, value]) => line.replaceAll(pattern, value), command)
  return text.replaceAll('$NAME', name).replaceAll('<pod>', pod)
}

/** Order: reads, restart, roll-out status and undo, then deletes and scaling. */
const rank = (command: string): number =>
  [/\b(get|describe|create)\b/, /rollout restart/, /rollout/, /./].findIndex((pattern) => pattern.test(command))

/** Number of commands run, failures with their output, and commands left out. */
export interface Commands {
  run: number
  failed: string[]
  left: string[]
}

function allCommands(): string[] {
  const files = readdirSync(join(root, PAGES), { recursive: true, encoding: 'utf8' })
  const pages = files.filter((file) => file.endsWith('.md'))
  return [...new Set(pages.flatMap((page) => commandsOf(join(PAGES, page))))]
}

/** Runs a line. @returns its failure, if any */
function failureOf(line: string, kubectl: Kubectl): string[] {
  const runsOn = RUNS_ON.test(line)
  const { isGood, stdout, errorLines } = kubectl.paste(runsOn ? `timeout ${ENDED_AFTER} ${line}` : line)
  return isGood || (runsOn && WORKS.test(stdout)) ? [] : [`${line}: ${errorLines.join(' ')}`]
}

/** Name of a pod of the gateway that is not ending. */
const podOf = (kubectl: Kubectl): string =>
  nameOfLivingPod(kubectl.list<Pod>(['pods', `--namespace=${NAMESPACE}`, '--selector=app.kubernetes.io/name=gateway']))

function runThose(chosen: (command: string) => boolean, kubectl: Kubectl): Commands {
  const all = allCommands()
  const pod = podOf(kubectl)
  const lines = [...new Set(all.filter(chosen).map((command) => filledIn(command, pod)))]
  const failed = lines.sort((a, b) => rank(a) - rank(b)).flatMap((line) => failureOf(line, kubectl))
  return { run: lines.length, failed, left: all.filter((command) => !chosen(command)) }
}

/** Runs every command that needs no node, once. */
export const runCommands = (kubectl: Kubectl): Commands =>
  runThose((command) => !NEEDS_A_NODE.test(command) && !IS_A_PART.test(command), kubectl)

/** Restarts the pod's container so that `--previous` has a log. */
function endContainer(kubectl: Kubectl): void {
  const pod = podOf(kubectl)
  const until = (condition: string) =>
    kubectl.must(['wait', `pod/${pod}`, `--namespace=${NAMESPACE}`, `--for=${condition}`, '--timeout=120s'])
  kubectl.must(['exec', pod, `--namespace=${NAMESPACE}`, '--', 'node', '--eval', 'process.kill(1)'])
  until('jsonpath={.status.containerStatuses[0].restartCount}=1')
  until('condition=ready')
}

/** Runs every command that needs a node but no third-party operator, once. */
export function runCommandsOfNodes(kubectl: Kubectl): Commands {
  endContainer(kubectl)
  const chosen = (command: string): boolean =>
    NEEDS_A_NODE.test(command) && !IS_A_PART.test(command) && !NEEDS_MORE_THAN_A_NODE.test(command)
  return runThose(chosen, kubectl)
}

/** A page, the pattern of its block that queries a database, and the statement to fill in. */
const OF_A_DATABASE = [
  'runbooks/index.md',
  /psql --dbname/,
  'SELECT connection_id, state FROM feed_connection;\n',
] as const

/** The block of code for a shell on a page that holds something, without what indents it. */
function blockOf(page: string, holds: RegExp): string {
  const text = readFileSync(join(root, PAGES, page), 'utf8')
  const blocks = [...text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```/gm)]
  const [, indent, code] = blocks.find(([, , lines]) => holds.test(lines!))!
  return code!.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
}

/** Runs the line of docs/operations/backup.md that stops the feed; returns when its pods are gone. */
export function stopFeed(kubectl: Kubectl): void {
  const { isGood, errorLines } = kubectl.paste(
    partOfPage(/`(kubectl .* scale deployment\/reservation-feed --replicas=0)`/),
  )
  if (!isGood) throw new Error(`the line of ${PAGES}/backup.md: ${errorLines.join(' ')}`)
  const pods = [
    'pods',
    `--namespace=${NAMESPACE}`,
    '--selector=app.kubernetes.io/name=reservation-feed,app.kubernetes.io/component=service',
  ]
  kubectl.must(['wait', ...pods, '--for=delete', '--timeout=120s'])
}

/**
 * The block of docs/operations/backup.md that raises the numbers of events, which writes into the folder that it runs
 * in.
 */
export function raiseNumbers(kubectl: Kubectl, folder: string): void {
  const { isGood, errorLines } = kubectl.paste(`cd '${folder}'\n${blockOf('backup.md', /UPDATE feed_connection/)}`)
  if (!isGood) throw new Error(`the block of ${PAGES}/backup.md: ${errorLines.join(' ')}`)
}

/** The statement of docs/operations/backup.md that finds feeds that were not live. */
export const feedsNotLive = (): string => documented().notLive

/** Runs every command that needs a database with its operator. @param primary pod of the database of the feed */
export function runCommandsOfDatabases(kubectl: Kubectl, primary: string): Commands {
  const ofPlugin = allCommands().filter((command) => NEEDS_MORE_THAN_A_NODE.test(command))
  const failed = ofPlugin.flatMap((command) => failureOf(command.replace('<pod>', primary), kubectl))
  const [page, holds, statement] = OF_A_DATABASE
  const lines = blockOf(page, holds).split('\n').filter((line) => /^primary=|psql/.test(line)) // prettier-ignore
  const { isGood, stdout, errorLines } = kubectl.paste(lines.join('\n'), statement)
  if (!isGood || !stdout.includes('connection_id')) failed.push(`${lines.join('; ')}: ${errorLines.join(' ')}`)
  return { run: ofPlugin.length + lines.length, failed, left: [] }
}
