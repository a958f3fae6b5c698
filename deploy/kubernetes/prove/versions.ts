import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** An operator of a cluster, and what its definitions are taken from. */
export interface Operator {
  version: string
  /** Of Strimzi: the version of Kafka that it runs, and its metadata version. */
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
  /** Packages of Python. */
  python: Record<string, string>
}

/** deploy/versions.yaml. */
export const versions = parse(readFileSync(join(import.meta.dirname, '../../versions.yaml'), 'utf8')) as Versions
