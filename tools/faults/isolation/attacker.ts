// The process of one attacker: attacker.ts <name> <file with the target>; it attacks until it is killed.
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { attackers } from './attackers/attackers.ts'
import type { Target } from './target.ts'

/** The services and the healthy partner come first on this machine; a real attacker brings processors of its own. */
const PRIORITY = 10

const [name, file] = process.argv.slice(2)
setPriority(PRIORITY)
await attackers.find((one) => one.name === name)!.attack(JSON.parse(readFileSync(file!, 'utf8')) as Target)
