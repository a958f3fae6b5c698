// Counts what held and what did not.
let held = 0
const broken = []

/** Prints one line; a fault does not end the proof. */
export function check(title, holds) {
  process.stdout.write(`${holds ? '      ok' : '  BROKEN'}  ${title.trim()}\n`)
  if (holds) held++
  else broken.push(title)
}

/** The last line, and the exit code. */
export function result() {
  process.stdout.write(`\n${held} held, ${broken.length} broken\n`)
  return broken.length === 0 ? 0 : 1
}
