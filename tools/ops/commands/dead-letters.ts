// The calls for dead letters.
import type { Call, Flags } from '../command.ts'
import { choice, idOf } from './flag-kinds.ts'

const services = ['catalog', 'reservation-feed', 'ari', 'event-dispatch', 'gateway']
const letter: Flags = {
  service: { value: 'SERVICE', says: `the service whose it is: ${services.join(', ')}`, needed: true },
  ...idOf('dead letter', 'dl_…'),
}

export const deadLetters: readonly Call[] = [
  {
    verb: 'list',
    does: 'Messages that could not be used, newest first; open ones unless --state.',
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
    does: 'One with its bytes, on a terminal as text: it may hold a guest.',
    method: 'GET',
    path: '/dead-letters/{service}/{id}',
    flags: letter,
    example: 'catalog dl_…',
  },
  {
    verb: 'replay',
    does: 'Hands it to its consumer again; what still cannot be used stays open.',
    method: 'POST',
    path: '/dead-letters/{service}/{id}/replay',
    flags: letter,
    example: 'catalog dl_… --reason "fixed in 1.4.2"',
  },
  {
    verb: 'discard',
    does: 'Sets it aside for good.',
    method: 'POST',
    path: '/dead-letters/{service}/{id}/discard',
    flags: letter,
    example: 'catalog dl_… --reason "sent again by the booking engine"',
  },
]
