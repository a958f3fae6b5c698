// Findings of advisories about the packages in a lock, and the findings that a person has decided to ignore.
import { type Advisory, affects, fixedAfter, type Severity, severityOf } from './osv.ts'

const DAY = 86_400_000

/** A package in a lock. */
export interface Locked {
  name: string
  version: string
  /** Where it is installed. */
  path: string
  /** Only for development. */
  dev: boolean
}

/** An advisory about a package in the lock. */
export interface Finding {
  locked: Locked
  advisory: Advisory
  severity: Severity
  fixed: string | undefined
}

/** An advisory that a person has decided to ignore until a day. */
export interface Ignored {
  id: string
  package: string
  reason: string
  /** The last day, YYYY-MM-DD. */
  until: string
}

interface Lock {
  packages: Record<string, { name?: string; version?: string; link?: boolean; dev?: boolean }>
}

/** The packages of a package-lock.json, without those of this repository. */
export function packagesOf(lock: string): Locked[] {
  const { packages } = JSON.parse(lock) as Lock
  return Object.entries(packages).flatMap(([path, { name, version, link, dev = false }]) => {
    const at = path.lastIndexOf('node_modules/')
    if (at < 0 || link || version === undefined) return []
    return [{ name: name ?? path.slice(at + 'node_modules/'.length), version, path, dev }]
  })
}

/** Findings, and when the newest of all advisories was changed, ms since 1970. */
export interface Found {
  findings: Finding[]
  newest: number
}

/** Findings of one advisory; none if it was withdrawn. */
function findingsIn(advisory: Advisory, byName: ReadonlyMap<string, readonly Locked[]>): Finding[] {
  if (advisory.withdrawn !== undefined) return []
  const ofNpm = (advisory.affected ?? []).filter((entry) => entry.package?.ecosystem === 'npm')
  return ofNpm.flatMap((entry) =>
    (byName.get(entry.package!.name) ?? [])
      .filter(({ version }) => affects(entry, version))
      .map((locked) => ({
        locked,
        advisory,
        severity: severityOf(advisory),
        fixed: fixedAfter(entry, locked.version),
      })),
  )
}

/** Compares packages with advisories. */
export function findingsOf(packages: readonly Locked[], advisories: Iterable<Advisory>): Found {
  const byName = Map.groupBy(packages, ({ name }) => name)
  const found: Found = { findings: [], newest: 0 }
  for (const advisory of advisories) {
    found.newest = Math.max(found.newest, Date.parse(advisory.modified) || 0)
    found.findings.push(...findingsIn(advisory, byName))
  }
  return found
}

/**
 * Checks the list of ignored advisories.
 * @throws Error for an entry without package, reason or day
 */
export function checked(ignored: readonly Ignored[]): readonly Ignored[] {
  for (const { id, package: name, reason, until } of ignored)
    if (!name || !reason || !/^\d{4}-\d\d-\d\d$/.test(until) || Number.isNaN(Date.parse(until)))
      throw new Error(`ignored ${id}: needs package, reason and until (YYYY-MM-DD)`)
  return ignored
}

/** Whether a finding is ignored today. */
export const isIgnored = ({ advisory, locked }: Finding, ignored: readonly Ignored[], now: number): boolean =>
  ignored.some(
    ({ id, package: name, until }) =>
      name === locked.name && [advisory.id, ...(advisory.aliases ?? [])].includes(id) && now < Date.parse(until) + DAY,
  )
