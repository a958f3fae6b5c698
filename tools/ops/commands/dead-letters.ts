// The calls for dead letters.
import type { Call, Flags } from '../command.ts'
import { choice, idOf } from './flag-kinds.ts'

const services = ['catalog', 'reservation-feed', 'ari', 'event-dispatch', 'gateway']
const letter: Flags = {
  service: {
    value: 'SERVICE',
    says: `the service that received it: ${services.join(', ')}; all are asked when absent`,
  },
  ...idOf('dead letter', 'dl_…'),
}
const oneOfPath = { flag: 'service', values: services }

export const deadLetters: readonly Call[] = [
  {
    verb: 'list',
    does: 'Lists messages that could not be processed, newest first; open ones unless --state is given.',
    method: 'GET',
    path: '/dead-letters',
    list: 'dead_letters',
    flags: {
      service: { ...choice(services, 'only of this service'), value: 'SERVICE' },
      topic: { value: 'TOPIC', says: 'only of this topic' },
      state: choice(['open', 'replayed', 'discarded'], 'in this state'),
    },
    columns: [
      ['received', 'received_at'],
      ['service', 'service'],
      ['id', 'id'],
      ['topic', 'topic'],
      ['partition', 'partition'],
      ['offset', 'offset'],
      ['key', 'key'],
      ['state', 'state'],
      ['attempts', 'attempts'],
      ['reason', 'reason'],
    ],
    example: '--service catalog --all',
  },
  {
    verb: 'show',
    does: 'Shows one with its bytes, on a terminal as text; it may contain guest data.',
    method: 'GET',
    path: '/dead-letters/{service}/{id}',
    flags: letter,
    oneOfPath,
    example: 'dl_…',
  },
  {
    verb: 'replay',
    does: 'Hands it to its consumer again; it stays open if that fails again, and the exit code is 1.',
    method: 'POST',
    path: '/dead-letters/{service}/{id}/replay',
    flags: letter,
    oneOfPath,
    failure: ({ state, reason }) => (state === 'open' ? `The replay failed again: ${String(reason)}` : null),
    example: 'dl_… --reason "fixed in 1.4.2"',
  },
  {
    verb: 'discard',
    does: 'Discards it for good.',
    method: 'POST',
    path: '/dead-letters/{service}/{id}/discard',
    flags: letter,
    oneOfPath,
    example: 'dl_… --reason "sent again by the booking engine"',
  },
]
