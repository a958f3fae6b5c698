// Runs one attack after the other, then all at once; before each, the healthy partner does the same work undisturbed.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../../../deploy/local/bootstrap/config.mjs'
import type { Fault, Run } from '../faults/fault.ts'
import type { FaultStack } from '../stack/fault-stack.ts'
import { attackers } from './attackers/attackers.ts'
import { type Isolation, setUpIsolation } from './set-up.ts'
import type { Target } from './target.ts'
import { watching } from './watch.ts'

/** Lengths of the parts of a round, ms. */
const UNDISTURBED = 20_000
const ATTACKED = 20_000
const ALL_TOGETHER = 60_000

/** Other users pause this many times as long during a round: at full pace, they alone fill two processors. */
const SLOWNESS = 8

const script = fileURLToPath(new URL('attacker.ts', import.meta.url))

interface AttackedRun extends Run {
  /** The hotel, once it is made. */
  isolation?: Promise<Isolation>
}

function startAttacker(name: string, target: Target, { dir, track }: FaultStack): ChildProcess {
  const file = join(dir, 'isolation-target.json')
  writeFileSync(file, JSON.stringify(target))
  const child = spawn(process.execPath, [script, name, file], { env: childEnvironment(), stdio: 'inherit' })
  track(child)
  return child
}

async function attack(names: readonly string[], milliseconds: number, run: AttackedRun): Promise<void> {
  const isolation = await isolationOf(run)
  await run.workload.pace.slowedDown(SLOWNESS, () => round(names, milliseconds, run, isolation))
}

async function round(
  names: readonly string[],
  milliseconds: number,
  { stack, history }: Run,
  { healthy, target }: Isolation,
): Promise<void> {
  const undisturbed = await healthy.work(UNDISTURBED)
  const children = names.map((name) => startAttacker(name, target, stack))
  const ended = children.map((child) => once(child, 'exit'))
  try {
    const { result, memory, dead, busy } = await watching(stack.observed, () => healthy.work(milliseconds))
    const failed = children.flatMap(({ exitCode }, index) => (exitCode === null ? [] : [names[index]!]))
    if (failed.length > 0) throw new Error(`the attackers ${failed.join(', ')} ended by themselves; see their output`)
    const name = names.length > 1 ? 'all together' : names[0]!
    const { figures: attacked, refused } = result
    history.isolation.push({ name, undisturbed: undisturbed.figures, attacked, refused, memory, dead, busy })
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(ended)
  }
}

/** The hotel, made for the first attack of a run. */
function isolationOf(run: AttackedRun): Promise<Isolation> {
  const { stack } = run
  run.isolation ??= setUpIsolation(stack).then((isolation) => {
    stack.atEnd(isolation.close)
    return isolation
  })
  return run.isolation
}

/** The faults of the group `isolation`. */
export const isolation: Fault[] = [
  ...attackers.map(({ name, about }) => ({
    name: `isolation-${name}`,
    about,
    inject: (run: AttackedRun) => attack([name], ATTACKED, run),
  })),
  {
    name: 'isolation-all-together',
    about: 'all attackers at once for a minute',
    inject: (run: AttackedRun) =>
      attack(
        attackers.map(({ name }) => name),
        ALL_TOGETHER,
        run,
      ),
  },
]
