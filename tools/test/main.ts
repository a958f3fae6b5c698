// npm test, npm run test:unit, npm run test:repeat: once packages and parts are installed.
import { optionsOf } from './options.ts'
import { repeat } from './repeat.ts'
import { runOnce } from './run.ts'

/** @param args arguments after `npm test --` @returns the exit code */
export async function runTests(args: string[]): Promise<number> {
  const options = optionsOf(args)
  if (options === null) return 0
  const { repeat: runs } = options
  return runs === undefined ? runOnce(options) : repeat({ ...options, runs })
}
