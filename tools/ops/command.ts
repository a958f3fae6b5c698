// The shapes of the table of commands.
import type { MappingWrite } from '@connectivity/contracts/mappings'
import type { RateLimit } from '@connectivity/contracts/rate-limits'

/** How the text of a flag is read: values.ts. */
export type FlagKind = 'text' | 'integer' | 'count' | 'list' | 'mapping' | 'mappings file' | 'rate'

/** A flag of a command line. */
export interface Flag {
  /** How its value looks; absent: it is a switch. */
  value?: string
  /** What it means. */
  says: string
  needed?: boolean
  /** The words that its value, or each item of its list, may be. */
  oneOf?: readonly string[]
  /** `text` when absent. */
  kind?: FlagKind
  /** Its place in the body, a JSON pointer, when that is not simply its name. */
  field?: string
  /** Its one-letter form. */
  short?: string
}

/** Flags by name. */
export type Flags = Readonly<Record<string, Flag>>

/** A column of a table: its heading and the fields to look in, the first that is there. */
export type Column = readonly [heading: string, ...fields: string[]]

interface AnyCall {
  verb: string
  /** What it does. */
  does: string
  method: 'GET' | 'POST' | 'PUT'
  /** Below `/ops/v1`; `{…}` names the flag that fills the place. */
  path: string
  flags?: Flags
  /** Flags of which at least one is given. */
  needsOneOf?: readonly string[]
  /** The words after noun and verb of a command line that works. */
  example?: string
}

/** A call that answers one record. */
interface RecordCall extends AnyCall {
  list?: undefined
  columns?: undefined
}

/** A call that answers pages of records. */
interface ListCall extends AnyCall {
  /** Field of the answer that has the records. */
  list: string
  columns: readonly Column[]
}

/** A call of the operators' interface, as its noun's file describes it. */
export type Call = RecordCall | ListCall

/** A call with its noun: what a command line names. */
export type Command = Call & { noun: string; flags: Flags }

/** What the texts of a flag become; a switch becomes true. */
export type FlagValue = true | string | number | readonly unknown[] | MappingWrite | RateLimit

/** Values by flag; the table of commands says what each one is. */
export interface Values {
  readonly [flag: string]: FlagValue | undefined
  readonly all?: true
  readonly json?: true
  readonly 'read-only'?: true
  readonly limit?: number
  readonly cursor?: string
  readonly reason?: string
  readonly 'idempotency-key'?: string
}
