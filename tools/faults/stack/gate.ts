// Keeps a supervised process down for the time of a fault: it is restarted at once, but waits at its gate before it
// runs its program.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Spec } from '../../../deploy/local/bootstrap/processes/supervisor.mjs'

const WAIT = 'while [ -e "$0" ]; do sleep 0.1; done; exec "$@"'

const gateOf = (dir: string, name: string): string => join(dir, `${name}.held`)

/** The same process behind a gate in `dir`, which every account that runs a process can read. */
export const gated = (spec: Spec, dir: string): Spec => ({
  ...spec,
  command: () => {
    const { file, args, ...more } = spec.command()
    return { ...more, file: 'sh', args: ['-c', WAIT, gateOf(dir, spec.name), file, ...args] }
  },
})

/** Closes the gate: the process stays down once it has ended. */
export const hold = (dir: string, name: string): void => writeFileSync(gateOf(dir, name), '')

export const release = (dir: string, name: string): void => rmSync(gateOf(dir, name), { force: true })
