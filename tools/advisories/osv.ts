// Advisories in the format of OSV (https://ossf.github.io/osv-schema), as far as npm's use it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import semver from 'semver'

/** Severities as GitHub's advisories name them, lowest first. */
export const severities = ['low', 'moderate', 'high', 'critical'] as const
export type Severity = (typeof severities)[number]

type Event = Partial<Record<'introduced' | 'fixed' | 'last_affected' | 'limit', string>>

/** The versions of a package that an advisory affects. */
export interface Affected {
  package?: { ecosystem: string; name: string }
  ranges?: { type: string; events: Event[] }[]
  versions?: string[]
}

/** An advisory. */
export interface Advisory {
  id: string
  modified: string
  withdrawn?: string
  aliases?: string[]
  summary?: string
  affected?: Affected[]
  database_specific?: { severity?: string }
}

/**
 * The advisories in a folder and those below it, one JSON file each.
 * @throws Error with the file that cannot be read
 */
export function* advisoriesIn(folder: string): Generator<Advisory> {
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.json')) continue
    try {
      yield JSON.parse(readFileSync(join(folder, file), 'utf8')) as Advisory
    } catch (error) {
      throw new Error(`${join(folder, file)} is no advisory: ${(error as Error).message}`, { cause: error })
    }
  }
}

/** Severity of an advisory. One without a rating counts as critical; those about malicious packages have none. */
export function severityOf({ database_specific }: Advisory): Severity {
  const word = database_specific?.severity?.toLowerCase()
  return severities.find((severity) => severity === word || (severity === 'moderate' && word === 'medium')) ?? 'critical'
} // prettier-ignore

/** A version of a range: `0` is before all others. Null for one that cannot be read. */
const parsed = (text: string): semver.SemVer | null =>
  semver.parse(text === '0' ? '0.0.0-0' : text) ?? semver.coerce(text, { includePrerelease: true })

const versionOf = (event: Event): string => Object.values(event)[0]!

/**
 * Order of events at one version: a span ends before the next one begins; a span of this version alone begins before it
 * ends.
 */
const place = (event: Event): number => (event.introduced !== undefined ? 1 : event.last_affected !== undefined ? 2 : 0)

/** Whether events of a range, in the order of their versions, leave a version affected. */
function isBetween(version: semver.SemVer, events: readonly Event[]): boolean {
  const at = events.map((event) => ({ event, version: parsed(versionOf(event)) }))
  // A range that cannot be read affects everything, so that a person looks at it.
  if (at.some((one) => one.version === null)) return true
  at.sort((a, b) => semver.compare(a.version!, b.version!) || place(a.event) - place(b.event))
  return at.reduce((isAffected, { event, version: bound }) => {
    const order = semver.compare(version, bound!)
    if (event.introduced !== undefined) return isAffected || order >= 0
    if (event.last_affected !== undefined) return isAffected && order <= 0
    return isAffected && order < 0
  }, false)
}

/** Whether an entry is about a version. */
export function affects({ ranges = [], versions = [] }: Affected, version: string): boolean {
  if (versions.includes(version)) return true
  const exact = parsed(version)
  return exact === null || ranges.some(({ type, events }) => type !== 'GIT' && isBetween(exact, events))
}

/** The first version above this one with which a range ends; undefined where there is none. */
export function fixedAfter({ ranges = [] }: Affected, version: string): string | undefined {
  const fixed = ranges.flatMap(({ events }) => events.flatMap((event) => event.fixed ?? []))
  const readable = fixed.filter((one) => semver.valid(one) && semver.gt(one, version, { loose: true }))
  return readable.sort(semver.compare)[0]
}
