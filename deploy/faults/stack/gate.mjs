// Keeps a process of the supervisor down for as long as a fault wants it down: it is started again at once, and waits
// at its gate before it becomes what it is.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const WAIT = 'while [ -e "$0" ]; do sleep 0.1; done; exec "$@"'

const gateOf = (dir, name) => join(dir, `${name}.held`)

/** The same process behind a gate in `dir`, which every account that runs one may look into. */
export const gated = (spec, dir) => ({
  ...spec,
  command: () => {
    const { file, args, ...more } = spec.command()
    return { ...more, file: 'sh', args: ['-c', WAIT, gateOf(dir, spec.name), file, ...args] }
  },
})

/** From now on the process does not come back once it has ended. */
export const hold = (dir, name) => writeFileSync(gateOf(dir, name), '')

export const letGo = (dir, name) => rmSync(gateOf(dir, name), { force: true })
