import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Files that a file imports by their place. */
const imported = (file: string): string[] =>
  [...read(file).matchAll(/from '(\.{1,2}\/.*)\.js'/g)].map(([, path]) => `${join(dirname(file), path!)}.ts`)

/** Pairs of files with an arrow between them in the tour of a booking. */
function steps(): [from: string, to: string][] {
  const [, tour] = /^How a booking becomes a row(.*?)^The suffix/ms.exec(read('README.md'))!
  const chains = tour!.split('\n- ').map((line) => line.split(/\s→\s/).map((part) => /\]\((.*?)\)/.exec(part)?.[1]))
  return chains.flatMap((files) => files.slice(1).map((to, index): [string, string] => [files[index] ?? '', to ?? '']))
}

describe("the README's tour of a booking", () => {
  it('has a way in and a way out', () => expect(steps().length).toBeGreaterThanOrEqual(11))

  it.each(steps())('leads from %s to %s by an import', (from, to) => {
    expect(imported(from)).toContain(to)
  })
})
