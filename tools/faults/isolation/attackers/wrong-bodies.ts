import { keepOpen, requestBytes } from './raw-connections.ts'
import type { Target } from '../target.ts'

const MIB = 1024 * 1024
const CONNECTIONS = 4

/** A body of 1 MiB whose list or object holds as many values as fit. */
const filled = (begin: string, one: (number: number) => string, end: string): string => {
  const parts: string[] = []
  for (let size = begin.length + end.length, number = 0; ; number++) {
    const part = one(number)
    size += part.length + 1
    if (size > MIB) return begin + parts.join(',') + end
    parts.push(part)
  }
}

/** Bodies of a valid partner that are refused only after validation. */
function bodiesOf(connection: string): string[] {
  const begin = `{"property_id":"${connection}",`
  return [
    filled(`${begin}"updates":[`, () => '{}', ']}'),
    filled(`${begin}"updates":[`, () => '""', ']}'),
    filled(begin, (number) => `"k${number}":0`, '}'),
    filled(`${begin}"updates":[{"room_id":"rm_1","dates":[`, () => '"2027-01-01"', ']}]}'),
    filled(`${begin}"updates":[`, (number) => `{"room_id":"rm_1","x${number}":[[]]}`, ']}'),
  ]
}

/** Sends bodies of 1 MiB full of faults, one after the other on each connection. */
export function wrongBodies(target: Target): void {
  const partner = target.partners[0]!
  const bodies = bodiesOf(partner.connection)
  let sent = 0
  keepOpen(target, CONNECTIONS, (socket) => {
    const next = () => {
      const body = bodies[sent++ % bodies.length]!
      socket.write(requestBytes({ method: 'POST', path: '/ari', body }, partner))
    }
    // Even a part of an answer triggers the next request.
    socket.on('data', next)
    next()
  })
}
