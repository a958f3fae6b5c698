// Counts the checks that held and those that did not.
let held = 0
const broken: string[] = []

/** Prints one line; a broken check does not end the proof. */
export function check(title: string, holds: boolean): void {
  process.stdout.write(`${holds ? '      ok' : '  BROKEN'}  ${title.trim()}\n`)
  if (holds) held++
  else broken.push(title)
}

/** Prints the last line; returns the exit code. */
export function result(): number {
  process.stdout.write(`\n${held} held, ${broken.length} broken\n`)
  return broken.length === 0 ? 0 : 1
}
