// Suggests the word that the user probably meant.

const at = (distances: readonly number[], column: number): number => distances[column] ?? Infinity

/** Number of letters to insert, delete or replace to get from one word to the other (Levenshtein). */
function distance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1]
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = at(previous, column - 1) + (letter === to[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, at(previous, column) + 1, at(current, column - 1) + 1))
    }
    previous = current
  }
  return at(previous, to.length)
}

const isPart = (word: string, candidate: string): boolean =>
  word.length >= 2 && (candidate.startsWith(word) || candidate.endsWith(`-${word}`))

/** The candidate most like `word`, if one is like it at all. */
function nearest(word: string, candidates: readonly string[]): string | undefined {
  const wanted = word.toLowerCase()
  const scored = candidates.map((candidate) => ({
    candidate,
    score: isPart(wanted, candidate) ? 0.5 : distance(wanted, candidate),
  }))
  const [best] = scored.toSorted((a, b) => a.score - b.score)
  return best && best.score <= Math.ceil(wanted.length / 3) ? best.candidate : undefined
}

/** "Did you mean x?", or the choices when nothing is near. */
export function suggestion(
  word: string,
  candidates: readonly string[],
  show = (candidate: string): string => candidate,
): string {
  const near = nearest(word, candidates)
  return near ? `Did you mean ${show(near)}?` : `There is: ${candidates.map(show).join(', ')}.`
}
