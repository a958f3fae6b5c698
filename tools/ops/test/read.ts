// Command lines as the program reads them, without carrying them out.
import { CommanderError } from 'commander'
import type { Command, Values } from '../command.ts'
import { run } from '../program.ts'

/** A command line that is carried out. */
export interface CommandLine {
  command: Command
  values: Values
}

/** Result of a command line: a command, help, or an explained mistake. */
export interface Outcome {
  done?: CommandLine
  out: string
  err: string
  exitCode: number
}

/** Runs a command line up to the call. */
export async function outcomeOf(...argv: string[]): Promise<Outcome> {
  const outcome: Outcome = { out: '', err: '', exitCode: 0 }
  const uses = {
    carryOut: (command: Command, values: Values) => void (outcome.done = { command, values }),
    out: (text: string) => void (outcome.out += text),
    say: (text: string) => void (outcome.err += text),
  }
  await run(argv, uses).catch((error: unknown) => {
    if (!(error instanceof CommanderError)) throw error
    outcome.exitCode = error.exitCode
  })
  return outcome
}

/** A command line that is carried out. @throws Error with the explanation of a mistake */
export async function read(...argv: string[]): Promise<CommandLine> {
  const { done, out, err } = await outcomeOf(...argv)
  if (!done) throw new Error(err || out)
  return done
}
