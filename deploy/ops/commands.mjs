// Everything that can be said, as data: a new call of the operators' interface is a new entry here and nothing else.
//
// A command: noun, verb, what it does, method, path with the {flag} that fills each place, its flags, an example.
// A list also has the noun of its answer and the columns of its table: heading and the fields to look in.
// A flag: `value` is how its value looks (absent: it is a switch), `says` what it means; `needed`, `oneOf`,
// `kind` (values.mjs), and `field`, its place in the body when that is not simply its name.

const id = (of, value) => ({ id: { value, says: `the ${of}`, needed: true } })
const application = id('application', 'app_…')
const connection = id('connection (property_id)', 'con_…')
const credential = id('credential', 'cred_…')
const ofConnection = { 'connection-id': { value: 'con_…', says: 'the connection (property_id)', needed: true } }

const choice = (oneOf, says, more) => ({ value: oneOf.join('|'), oneOf, says, ...more })
const environments = ['sandbox', 'production']
const states = ['provisioning', 'pilot', 'certification_pending', 'production', 'disabled', 'closed']
const scopes = [
  ...['reservations:read', 'events:read', 'events:ack', 'catalog:read', 'mappings:read', 'mappings:write'],
  ...['ari:read', 'ari:write', 'callbacks:manage', 'production:request'],
]
const targets = ['pilot', 'certification_pending', 'production', 'disabled', 'enabled', 'closed']

const rate = (name, of) => ({ value: 'N/BURST', kind: 'rate', says: of, field: `/limits/${name}` })

const applications = [
  {
    verb: 'create',
    does: 'Registers a partner; it is pending until approved.',
    method: 'POST',
    path: '/applications',
    flags: {
      name: { value: 'TEXT', says: "the partner's software", needed: true },
      'contact-name': { value: 'TEXT', says: 'whom to talk to', needed: true, field: '/contact/name' },
      'contact-email': { value: 'ADDRESS', says: 'and where', needed: true, field: '/contact/email' },
    },
    example: '--name "Demo PMS" --contact-name "Ada Lovelace" --contact-email ada@example.com --reason "contract 4711"',
  },
  {
    verb: 'list',
    does: 'Applications, oldest first.',
    method: 'GET',
    path: '/applications',
    list: 'applications',
    columns: [
      ['application', 'application_id'],
      ['name', 'name'],
      ['state', 'state'],
      ['contact', 'contact.email'],
      ['created', 'created_at'],
    ],
  },
  { verb: 'show', does: 'One application.', method: 'GET', path: '/applications/{id}', flags: application },
  {
    verb: 'approve',
    does: 'Lets a pending application have credentials; resumes a suspended one.',
    method: 'POST',
    path: '/applications/{id}/approve',
    flags: application,
    example: 'app_… --reason "contract signed"',
  },
  {
    verb: 'suspend',
    does: 'Its credentials answer 401 at once; its tokens end for good.',
    method: 'POST',
    path: '/applications/{id}/suspend',
    flags: application,
    example: 'app_… --reason "invoice overdue"',
  },
  {
    verb: 'limits',
    does: 'Sets rate limits, N calls per minute and how many may come at once; classes not named stay as they are.',
    method: 'PUT',
    path: '/applications/{id}/limits',
    flags: {
      ...application,
      feed: rate('feed', 'polls of reservations, for each connection'),
      reads: rate('reads', 'other reads, for each credential'),
      ari: rate('ari', 'writes of availability and rates, for each connection'),
      mutations: rate('mutations', 'other changes, for each connection'),
      token: rate('token', 'token requests, for each client'),
    },
    needsOneOf: ['feed', 'reads', 'ari', 'mutations', 'token'],
    example: 'app_… --feed 1200/120 --reason "large chain"',
  },
]

const connections = [
  {
    verb: 'create',
    does: 'Assigns a property to an application; it is provisioning until moved to pilot.',
    method: 'POST',
    path: '/connections',
    flags: {
      'application-id': { value: 'app_…', says: 'the application', needed: true },
      'source-property-id': { value: 'ID', says: "the booking engine's property id", needed: true },
      'external-property-id': { value: 'CODE', says: "the partner's own code of the property", needed: true },
      environment: choice(environments, 'the environment', { needed: true }),
    },
    example:
      '--application-id app_… --source-property-id prop_1 --external-property-id PMS-100 --environment sandbox --reason "pilot"',
  },
  {
    verb: 'list',
    does: 'Connections, oldest first.',
    method: 'GET',
    path: '/connections',
    list: 'connections',
    flags: {
      'application-id': { value: 'app_…', says: 'only of this application' },
      state: choice(states, 'only in this state'),
      'source-property-id': { value: 'ID', says: 'only to this property of the booking engine' },
    },
    columns: [
      ['connection', 'property_id'],
      ['application', 'application_id'],
      ['property', 'source_property_id'],
      ['external id', 'external_property_id'],
      ['environment', 'environment'],
      ['state', 'state'],
    ],
    example: '--state disabled --all',
  },
  { verb: 'show', does: 'One connection.', method: 'GET', path: '/connections/{id}', flags: connection },
  {
    verb: 'transition',
    does: 'Moves it: provisioning → pilot → certification_pending → production; any → disabled → enabled (back to where it was); any → closed (final).',
    method: 'POST',
    path: '/connections/{id}/transitions',
    flags: {
      ...connection,
      to: choice(targets, 'where to', { needed: true }),
      'public-reason': { value: 'TEXT', says: 'what the partner sees of a disabling' },
    },
    example: 'con_… --to disabled --public-reason "Invoice overdue" --reason "ticket 4711"',
  },
]

const credentials = [
  {
    verb: 'create',
    does: 'Issues a credential. Its secret is shown this once and never again.',
    method: 'POST',
    path: '/connections/{connection-id}/credentials',
    flags: {
      ...ofConnection,
      type: choice(['signing', 'oauth'], 'signed requests or an OAuth client', { needed: true }),
      scopes: { value: 'A,B', kind: 'list', oneOf: scopes, says: `of ${scopes.join(', ')}; all when absent` },
      'expires-at': { value: 'TIME', says: 'when it ends, such as 2027-01-31T00:00:00Z; never when absent' },
      'own-connection-only': { says: "not for the application's other connections" },
    },
    example: 'con_… --type signing --scopes reservations:read,catalog:read --reason "pilot access"',
  },
  {
    verb: 'list',
    does: 'Credentials of a connection, without secrets.',
    method: 'GET',
    path: '/connections/{connection-id}/credentials',
    list: 'credentials',
    flags: ofConnection,
    columns: [
      ['credential', 'credential_id'],
      ['type', 'type'],
      ['key or client id', 'key_id', 'client_id'],
      ['last used', 'last_used_at'],
      ['expires', 'expires_at'],
      ['revoked', 'revoked_at'],
      ['own only', 'own_connection_only'],
    ],
    example: 'con_…',
  },
  {
    verb: 'rotate',
    does: 'Gives it a second secret under the same id; the old one works on for the overlap.',
    method: 'POST',
    path: '/credentials/{id}/rotate',
    flags: {
      ...credential,
      'overlap-seconds': { value: 'N', kind: 'integer', says: '7 days when absent, 0 ends the old secret at once' },
    },
    example: 'cred_… --overlap-seconds 86400 --reason "yearly rotation"',
  },
  {
    verb: 'revoke',
    does: 'Ends it everywhere within a second, for good, with its tokens.',
    method: 'POST',
    path: '/credentials/{id}/revoke',
    flags: credential,
    example: 'cred_… --reason "key leaked, ticket 4711"',
  },
]

const audit = [
  {
    verb: 'list',
    does: 'Who changed what and why, newest first; --json also shows before and after.',
    method: 'GET',
    path: '/audit',
    list: 'entries',
    flags: {
      subject: { value: 'ID', says: 'only changes of this application, connection or credential' },
      actor: { value: 'WHO', says: "only by this operator (the token's sub)" },
      from: { value: 'TIME', says: 'not before, such as 2026-11-20T00:00:00Z' },
      to: { value: 'TIME', says: 'not after' },
    },
    columns: [
      ['at', 'at'],
      ['actor', 'actor'],
      ['action', 'action'],
      ['subject', 'subject'],
      ['reason', 'reason'],
    ],
    example: '--subject app_… --from 2026-11-20T00:00:00Z',
  },
]

const overview = [
  {
    verb: 'list',
    does: 'Every connection with its state, feed, callback and what waits; – is not known (yet).',
    method: 'GET',
    path: '/overview',
    list: 'connections',
    columns: [
      ['connection', 'property_id'],
      ['application', 'application_id'],
      ['state', 'state'],
      ['lag ms', 'feed.lag_ms'],
      ['last change', 'feed.last_change_at'],
      ['last polled', 'feed.last_polled_at'],
      ['callback', 'callback.state'],
      ['unacknowledged', 'unacknowledged'],
      ['dead letters', 'dead_letters'],
    ],
    example: '--all',
  },
]

/** What each noun is, for the first page of help. */
export const nouns = {
  applications: "partners' software, admitted by a person",
  connections: 'a property assigned to an application',
  credentials: 'what a partner signs in with, issued for a connection',
  audit: 'every change, with who and why',
  overview: 'the morning look: all connections at a glance',
}

/** All commands, each with its noun. */
export const commands = Object.entries({ applications, connections, credentials, audit, overview }).flatMap(
  ([noun, list]) => list.map((command) => ({ flags: {}, ...command, noun })),
)
