// The process of one attacker: attacker.ts <name> <file with the target> <share of a processor>. It tells its parent
// when it is ready, attacks from its parent's message on, and ends when it is killed.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { attackers } from './attackers/attackers.ts'
import type { Target } from './target.ts'

const LOOK_EVERY = 20

/** Stops this process until it has used no more than its share: a real attacker brings processors of its own. */
function limitProcessor(share: number): void {
  const waiting = new Int32Array(new SharedArrayBuffer(4))
  const begun = performance.now()
  const before = process.cpuUsage()
  setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    const ahead = (user + system) / 1_000 / share - (performance.now() - begun)
    if (ahead > 0) Atomics.wait(waiting, 0, 0, ahead)
  }, LOOK_EVERY)
}

const [name, file, share] = process.argv.slice(2)
const { attack } = attackers.find((one) => one.name === name)!
const target = JSON.parse(readFileSync(file!, 'utf8')) as Target
process.send!('ready')
await once(process, 'message')
limitProcessor(Number(share))
await attack(target)
