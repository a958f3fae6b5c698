/** A signature as read from the headers of a callback. */
export interface ReadSignature {
  eventId: string
  /** Unix seconds. */
  timestamp: number
  macs: Buffer[]
}

/** One of the two sets of headers, either of which is enough to verify a callback. */
interface Dialect {
  /** Lower case. */
  names: readonly string[]
  /** @param values in the order of the names; null if they cannot be read */
  read: (...values: string[]) => ReadSignature | null
}

const EVENT_ID = 'service-event-id'
const TIMESTAMP = /^[1-9][0-9]{9}$/

function signature(eventId: string, timestamp: string | undefined, macs: (Buffer | null)[]): ReadSignature | null {
  if (timestamp === undefined || !TIMESTAMP.test(timestamp) || macs.length === 0) return null
  const readable = macs.filter((mac) => mac !== null)
  return readable.length === macs.length ? { eventId, timestamp: Number(timestamp), macs: readable } : null
}

function ofService(text: string, eventId: string): ReadSignature | null {
  const [time, ...rest] = text.split(',').map((field) => field.trim())
  const macs = rest.map((field) => {
    const hex = /^v1=([0-9a-f]{64})$/i.exec(field)?.[1]
    return hex === undefined ? null : Buffer.from(hex, 'hex')
  })
  return signature(eventId, /^t=(.*)$/.exec(time!)?.[1], macs)
}

function ofStandardWebhooks(eventId: string, timestamp: string, text: string): ReadSignature | null {
  const macs = text.split(' ').map((field) => {
    const coded = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(field)?.[1]
    return coded === undefined ? null : Buffer.from(coded, 'base64')
  })
  return signature(eventId, timestamp, macs)
}

const dialects: readonly Dialect[] = [
  { names: ['service-signature', EVENT_ID], read: ofService },
  { names: ['webhook-id', 'webhook-timestamp', 'webhook-signature'], read: ofStandardWebhooks },
]

/**
 * Reads the signatures of the complete dialects.
 * @param headers names in any case
 * @param eventId stands for a missing Service-Event-Id
 * @returns null if no dialect is complete; empty if the complete ones cannot be read
 */
export function readSignatures(headers: Readonly<Record<string, string>>, eventId: string): ReadSignature[] | null {
  const received = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value.trim()])
  const given = new Map([[EVENT_ID, eventId], ...received])
  const complete = dialects.filter(({ names }) => names.every((name) => given.get(name)))
  if (complete.length === 0) return null
  return complete.map(({ names, read }) => read(...names.map((name) => given.get(name)!))).filter((one) => one !== null)
}
