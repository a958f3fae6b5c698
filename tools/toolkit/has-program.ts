import { spawnSync } from 'node:child_process'

/** Whether the machine has a program that knows `--version`. */
export const hasProgram = (program: string): boolean =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined
