// Runs each attack, then all at once; before each, the healthy partner does the same work twice undisturbed.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../../../deploy/local/bootstrap/config.mjs'
import type { Fault, Run } from './fault.ts'
import type { FaultStack } from '../stack/fault-stack.ts'
import type { Round } from '../history/figures.ts'
import { type Attacker, attackers } from '../isolation/attackers/attackers.ts'
import { ahead } from '../isolation/priority.ts'
import { type Isolation, setUpIsolation } from '../isolation/set-up.ts'
import { watching } from '../isolation/watch.ts'

/** Lengths of the parts of a round, ms. */
const UNDISTURBED = 15_000
const ATTACKED = 20_000
const ALL_TOGETHER = 60_000
/** Lengths in a short run, undisturbed and attacked. */
const SHORT = 10_000

/** Share of a processor for all attackers of a round; more would take processor time from the services. */
const ATTACKERS_SHARE = 0.25

/** Other users pause this many times as long during a round: at full pace, they alone fill two processors. */
const SLOWNESS = 8

const script = fileURLToPath(new URL('../isolation/attacker.ts', import.meta.url))

interface AttackedRun extends Run {
  /** The hotel, once it is made. */
  isolation?: Promise<Isolation>
}

/** Starts the process of an attacker, in a session of its own, which waits for a message before it attacks. */
function startAttacker(
  { name }: Attacker,
  share: number,
  { targets }: Isolation,
  { dir, track }: FaultStack,
): ChildProcess {
  const file = join(dir, `isolation-target-${name}.json`)
  writeFileSync(file, JSON.stringify(targets.get(name)))
  const child = fork(script, [name, file, String(share)], { env: childEnvironment(), detached: true })
  track(child)
  return child
}

/** Resolves when every attacker has loaded its program, or has ended. */
const untilReady = (children: readonly ChildProcess[]): Promise<unknown> =>
  Promise.all(children.map((child) => Promise.race([once(child, 'message'), once(child, 'exit')])))

/** @throws Error with the names of the attackers whose processes have ended */
function checkAlive(children: readonly ChildProcess[], those: readonly Attacker[]): void {
  const failed = children.flatMap(({ exitCode }, index) => (exitCode === null ? [] : [those[index]!.name]))
  if (failed.length > 0) throw new Error(`the attackers ${failed.join(', ')} ended by themselves; see their output`)
}

async function attack(those: readonly Attacker[], milliseconds: number, run: AttackedRun): Promise<void> {
  const isolation = await isolationOf(run)
  await run.workload.pace.slowedDown(SLOWNESS, () => round(those, milliseconds, run, isolation))
}

async function round(
  those: readonly Attacker[],
  milliseconds: number,
  { stack, history, isShort }: Run,
  isolation: Isolation,
): Promise<void> {
  const { healthy } = isolation
  const children = those.map((one) => startAttacker(one, ATTACKERS_SHARE / those.length, isolation, stack))
  const ended = children.map((child) => once(child, 'exit'))
  try {
    await untilReady(children)
    checkAlive(children, those)
    const pids = children.map(({ pid }) => pid!)
    // Watching costs the machine the same in both parts of a round.
    const work = (time: number) => ahead(() => healthy.work(isShort ? SHORT : time))
    const watched = (time: number) => watching(stack.observed, pids, () => work(time))
    const undisturbed = async () => (await watched(UNDISTURBED)).result.figures
    const before: Round['undisturbed'] = [await undisturbed(), await undisturbed()]
    for (const child of children) child.send('attack')
    const { result, ...seen } = await watched(milliseconds)
    checkAlive(children, those)
    const name = those.length > 1 ? 'all together' : those[0]!.name
    const { figures: attacked, refused } = result
    history.isolation.push({ name, undisturbed: before, attacked, refused, ...seen })
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
  ...attackers.map((one) => ({
    name: `isolation-${one.name}`,
    about: one.about,
    inject: (run: AttackedRun) => attack([one], ATTACKED, run),
  })),
  {
    name: 'isolation-all-together',
    about: 'all attackers at once for a minute',
    inject: (run: AttackedRun) => attack(attackers, ALL_TOGETHER, run),
  },
]
