// The process of one attacker: attacker.ts <name> <file with the target> <share of a processor>; it attacks until it is
// killed.
import { readFileSync } from 'node:fs'
import { attackers } from './attackers/attackers.ts'
import type { Target } from './target.ts'

const LOOK_EVERY = 20

/** Stops this process until it has used no more than its share: a real attacker brings processors of its own. */
function limitProcessor(share: number): void {
  const waiting = new Int32Array(new SharedArrayBuffer(4))
  const begun = performance.now()
  setInterval(() => {
    const { user, system } = process.cpuUsage()
    const ahead = (user + system) / 1_000 / share - (performance.now() - begun)
    if (ahead > 0) Atomics.wait(waiting, 0, 0, ahead)
  }, LOOK_EVERY)
}

const [name, file, share] = process.argv.slice(2)
limitProcessor(Number(share))
await attackers.find((one) => one.name === name)!.attack(JSON.parse(readFileSync(file!, 'utf8')) as Target)
