import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** An operator of a cluster, and the source of its definitions. */
export interface Operator {
  version: string
  /** Only for Strimzi: the version of Kafka that it runs, and its metadata version. */
  kafka?: string
  metadata?: string
  /** Maven artifact whose classes describe the definitions, `group:artifact`. */
  maven?: string
  /** Go module `path@version`, and the folder in it with the definitions. */
  module?: string
  definitions?: string
}

interface Versions {
  images: Record<string, string>
  operators: Record<string, Operator>
  /** Python packages. */
  python: Record<string, string>
}

/** deploy/versions.yaml. */
export const versions = parse(readFileSync(join(import.meta.dirname, '../../versions.yaml'), 'utf8')) as Versions
