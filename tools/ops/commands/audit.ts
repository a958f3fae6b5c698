// The calls for the audit.
import type { Call } from '../command.ts'
import { changed } from '../texts.ts'
import { time } from './flag-kinds.ts'

export const audit: readonly Call[] = [
  {
    verb: 'list',
    does: 'Lists changes with operator and reason, newest first; --json shows the whole record before and after.',
    method: 'GET',
    path: '/audit',
    list: 'entries',
    flags: {
      subject: { value: 'ID', says: 'only changes of this application, connection, credential or dead letter' },
      actor: { value: 'WHO', says: "only by this operator (the token's sub)" },
      from: time('not before, such as 2026-11-20T00:00:00Z'),
      to: time('not after'),
    },
    columns: [
      ['at', 'at'],
      ['actor', 'actor'],
      ['action', 'action'],
      ['subject', 'subject'],
      ['from → to', 'after'],
      ['reason', 'reason'],
    ],
    texts: { 'from → to': changed },
    example: '--subject app_… --from 2026-11-20T00:00:00Z',
  },
]
