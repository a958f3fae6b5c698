// Runs the `kubectl` lines of the pages for operators against the cluster that has everything applied.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './config.ts'
import type { Kubectl } from './kubectl.ts'

const PAGES = 'docs/operations'

/** Verbs whose answer comes from a node, which this cluster does not have, and those that wait for one. */
const NEEDS_A_NODE = /\b(logs|exec|port-forward|wait|rollout status)\b/
/** Lines that are parts of a longer script, or name a file of the reader's. */
const IS_A_PART = /[|$\\…]|--kustomize|--filename -/

/** What stands for a placeholder, by the words before it. */
const STANDS_FOR: readonly (readonly [RegExp, string])[] = [
  [/<service>/g, 'gateway'],
  [/(job) <name>/g, '$1 migrate-gateway'],
  [/(certificate|externalsecret) <name>/g, '$1 $NAME'],
  [/(certificaterequest) <name>/g, '$1 none --ignore-not-found'],
]

/** Commands in code, whole fenced lines and inline code. */
function commandsOf(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8')
  const fenced = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, code]) => code!.split('\n'))
  const inline = [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/`(kubectl [^`]+)`/g)].map(([, code]) => code!)
  return [...fenced, ...inline]
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line.startsWith('kubectl '))
}

function filledIn(command: string, pod: string): string {
  const name = command.includes('externalsecret') ? 'gateway' : 'gateway-internal'
  const text = STANDS_FOR.reduce((line, [pattern, value]) => line.replaceAll(pattern, value), command)
  return text.replaceAll('$NAME', name).replaceAll('<pod>', pod)
}

/** First what looks, then a roll-out, then what looks at roll-outs and takes one back; what deletes or scales comes last. */
const rank = (command: string): number =>
  [/\b(get|describe|create)\b/, /rollout restart/, /rollout/, /./].findIndex((pattern) => pattern.test(command))

/** Commands that were run, those among them that failed with what they said, and those that need a node. */
export interface Commands {
  run: number
  failed: string[]
  left: string[]
}

/** Runs every command once. */
export function runCommands(kubectl: Kubectl): Commands {
  const pages = readdirSync(join(root, PAGES), { recursive: true, encoding: 'utf8' }).filter((page) =>
    page.endsWith('.md'),
  )
  const all = [...new Set(pages.flatMap((page) => commandsOf(join(PAGES, page))))]
  const left = all.filter((command) => NEEDS_A_NODE.test(command) || IS_A_PART.test(command))
  const pod = kubectl.must([
    'get',
    'pods',
    '--namespace=partner-connectivity',
    '--output=jsonpath={.items[0].metadata.name}',
  ])
  const rest = [...new Set(all.filter((command) => !left.includes(command)).map((command) => filledIn(command, pod)))]
  const failed = rest
    .sort((a, b) => rank(a) - rank(b))
    .flatMap((line) => {
      const { isGood, complains } = kubectl.paste(line)
      return isGood ? [] : [`${line}: ${complains.join(' ')}`]
    })
  return { run: rest.length, failed, left }
}
