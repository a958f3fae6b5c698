import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Commits up to this one are older than the rule. */
const BEFORE = 'd3addcc47431d70a45845f7a6b36081554897101'
const LONGEST = 72

/** Runs git, also in a clone of another user. */
const git = (...args: string[]) =>
  spawnSync('git', ['-c', 'safe.directory=*', ...args], { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' })

/** Subjects of the commits since the rule; none in a copy whose history does not reach so far back. */
function subjects(): string[] {
  if (git('cat-file', '-e', `${BEFORE}^{commit}`).status !== 0) return []
  const { status, stdout, stderr } = git('log', '--no-merges', '--format=%s', `${BEFORE}..HEAD`)
  if (status !== 0) throw new Error(stderr)
  return stdout.split('\n').filter(Boolean)
}

describe('subjects of commits', () => {
  it('have at most 72 characters', () => {
    expect(subjects().filter((subject) => subject.length > LONGEST)).toEqual([])
  })
})
