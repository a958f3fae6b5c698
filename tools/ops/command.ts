// The shapes of the table of commands.
import type { MappingWrite } from '@connectivity/contracts/mappings'
import type { RateLimit } from '@connectivity/contracts/rate-limits'

/** Kind of a flag's text, read by values.ts. */
export type FlagKind =
  'text' | 'integer' | 'count' | 'duration' | 'time' | 'list' | 'mapping' | 'mappings file' | 'rate'

/** A flag of a command line. */
export interface Flag {
  /** Placeholder of its value in help; absent for a switch. */
  value?: string
  /** Meaning, as help shows it. */
  says: string
  needed?: boolean
  /** Words that are allowed as its value, or as items of its list. */
  oneOf?: readonly string[]
  /** `text` when absent. */
  kind?: FlagKind
  /** JSON pointer to its place in the body, if that differs from its name. */
  field?: string
  /** The flag that cannot be given with it. */
  excludes?: string
  /** Whether the flag is used locally and not sent. */
  isLocal?: true
}

/** Flags by name. */
export type Flags = Readonly<Record<string, Flag>>

/** A column of a table: its heading and its fields, of which the first existing one is shown. */
export type Column = readonly [heading: string, ...fields: string[]]

/** A record of an answer, or a part of one. */
export type Fields = Readonly<Record<string, unknown>>

interface AnyCall {
  verb: string
  /** Effect, as help shows it. */
  does: string
  method: 'GET' | 'POST' | 'PUT'
  /** Below `/ops/v1`; `{…}` names the flag that fills the place. */
  path: string
  flags?: Flags
  /** Flags of which at least one is required. */
  needsOneOf?: readonly string[]
  /** The words after noun and verb of a command line that works. */
  example?: string
  /** An optional part of the path, and its possible values: each is tried until one finds the record. */
  oneOfPath?: { flag: string; values: readonly string[] }
  /** Failure that a successful answer reports; null without one. */
  failure?: (answer: Fields) => string | null
}

/** A call that answers one record. */
interface RecordCall extends AnyCall {
  list?: undefined
  isWhole?: undefined
  columns?: undefined
  texts?: undefined
  sorts?: undefined
}

/** A call that answers records. */
interface ListCall extends AnyCall {
  /** Field of the answer that has the records. */
  list: string
  /** Whether one answer has all records; otherwise they come in pages. */
  isWhole?: true
  columns: readonly Column[]
  /** Texts of columns that are not simply a field's value, by heading. */
  texts?: Readonly<Record<string, (record: Fields) => unknown>>
  /** Values that `--sort` compares, by its words; absent values come last. */
  sorts?: Readonly<Record<string, (record: Fields) => string | number | null | undefined>>
}

/** A call of the operators' interface, as its noun's file describes it. */
export type Call = RecordCall | ListCall

/** A call with its noun. */
export type Command = Call & { noun: string; flags: Flags }

/** Value read from the texts of a flag; true for a switch. */
export type FlagValue = true | string | number | readonly unknown[] | MappingWrite | RateLimit

/** Values by flag; the table of commands defines the type of each. */
export interface Values {
  readonly [flag: string]: FlagValue | undefined
  readonly all?: true
  readonly json?: true
  readonly 'read-only'?: true
  readonly limit?: number
  readonly cursor?: string
  readonly reason?: string
  readonly sort?: string
  readonly 'idempotency-key'?: string
}
