import { readdirSync } from 'node:fs'
import nx from '@nx/eslint-plugin'
import prettier from 'eslint-config-prettier'
import reactHooks from 'eslint-plugin-react-hooks'
import regexp from 'eslint-plugin-regexp'
import tseslint from 'typescript-eslint'

/**
 * What each project may build on; `forTests` are what its tests alone may use besides: tags of libraries and packages.
 * `allow` lists patterns of paths that lead into other projects and may be imported.
 */
const boundaries = ({ forTests = [], allow = [] } = {}) => ({
  enforceBuildableLibDependency: false,
  allow,
  depConstraints: [
    {
      sourceTag: 'type:app',
      onlyDependOnLibsWithTags: ['type:lib'],
      ...(forTests.length === 0 && { notDependOnLibsWithTags: ['lib:testing', 'lib:toolkit'] }),
    },
    {
      sourceTag: 'lib:contracts',
      onlyDependOnLibsWithTags: [],
      allowedExternalImports: ['class-validator', 'reflect-metadata', ...forTests],
    },
    { sourceTag: 'lib:signing', onlyDependOnLibsWithTags: [] },
    { sourceTag: 'lib:service-kit', onlyDependOnLibsWithTags: ['lib:contracts', 'lib:signing', ...forTests] },
    { sourceTag: 'lib:database', onlyDependOnLibsWithTags: ['lib:service-kit', ...forTests] },
    {
      sourceTag: 'lib:mutations',
      onlyDependOnLibsWithTags: ['lib:contracts', 'lib:database', 'lib:service-kit', ...forTests],
    },
    {
      sourceTag: 'lib:kafka',
      onlyDependOnLibsWithTags: ['lib:contracts', 'lib:database', 'lib:mutations', 'lib:service-kit', ...forTests],
    },
    {
      sourceTag: 'lib:connections',
      onlyDependOnLibsWithTags: ['lib:contracts', 'lib:database', 'lib:kafka', ...forTests],
    },
    { sourceTag: 'lib:vault', onlyDependOnLibsWithTags: ['lib:database', 'lib:mutations', 'lib:service-kit'] },
    { sourceTag: 'lib:testing', onlyDependOnLibsWithTags: ['lib:contracts', 'lib:toolkit'] },
    { sourceTag: 'lib:ui', onlyDependOnLibsWithTags: [] },
    {
      sourceTag: 'type:browser-app',
      onlyDependOnLibsWithTags: ['lib:ui', ...forTests],
    },
    { sourceTag: 'lib:toolkit', onlyDependOnLibsWithTags: ['lib:contracts'] },
  ],
})

/** Paths between the programs of the workshop, and to the examples for partners. */
const WORKSHOP = [
  '^(\\.\\./)+((deploy|tools)/)?(docker|local|toolkit|bench|faults|ops|soak|upgrades)/',
  '^(\\.\\./)+examples/',
  '^(\\.\\./)+deploy/observability/test/',
]

const regex = (pattern, message) => ({ regex: pattern, message })

/** The wings of an app or tool, and which others each may import; files beside them may import all, see `bases`. */
const wings = {
  'apps/gateway/src': {
    http: [],
    live: [],
    admission: ['http', 'live'],
    registry: ['live'],
    forwarding: ['http', 'live', 'admission'],
    'request-log': ['http', 'live', 'admission'],
    partner: ['http', 'live', 'admission', 'registry', 'forwarding'],
    operators: ['http', 'live', 'registry', 'forwarding'],
    timeline: ['admission', 'forwarding', 'request-log'],
    migrations: [],
  },
  'apps/catalog/src': {
    properties: [],
    mappings: ['properties'],
    catalogs: ['mappings', 'properties'],
    intake: ['catalogs', 'mappings', 'properties'],
    calls: ['intake', 'catalogs', 'mappings', 'properties'],
    migrations: [],
  },
  'apps/ari/src': {
    calendar: [],
    catalogs: [],
    judgement: ['calendar', 'catalogs'],
    cells: ['judgement', 'calendar'],
    reading: ['judgement', 'calendar', 'catalogs'],
    writing: ['cells', 'judgement', 'calendar', 'catalogs'],
    calls: ['writing', 'reading', 'cells', 'catalogs'],
    pruning: ['calendar'],
    migrations: [],
  },
  'apps/reservation-feed/src': {
    progress: [],
    projection: [],
    pages: ['projection', 'progress'],
    'delivery-status': ['pages', 'projection', 'progress'],
    connections: ['delivery-status', 'projection'],
    redelivery: ['pages', 'projection'],
    digest: ['pages', 'projection'],
    timeline: ['pages'],
    migrations: [],
  },
  'apps/event-dispatch/src': {
    sending: [],
    backlog: [],
    intake: ['backlog'],
    events: ['backlog'],
    delivery: ['backlog', 'sending'],
    callbacks: ['backlog', 'sending', 'delivery'],
    migrations: [],
  },
  'apps/portal/src': {
    api: [],
    session: ['api'],
    pages: ['session', 'api'],
    connection: ['pages', 'session', 'api'],
  },
  'apps/console/src': {
    api: [],
    session: ['api'],
    pages: ['session', 'api'],
  },
  'deploy/local': {
    bootstrap: [],
    machine: ['bootstrap'],
    parts: ['machine', 'bootstrap'],
    processes: ['parts', 'bootstrap'],
    services: ['parts', 'machine', 'bootstrap'],
    demo: ['services', 'parts', 'machine', 'bootstrap'],
    start: ['demo', 'services', 'parts', 'machine', 'bootstrap'],
  },
  // After `deploy/local`, whose rule for these files it replaces.
  'deploy/local/bootstrap': {
    machine: [],
    processes: ['machine'],
    install: ['processes', 'machine'],
  },
  'tools/faults': {
    stack: [],
    history: ['stack'],
    users: ['history', 'stack'],
    check: ['users', 'history'],
    isolation: ['users', 'history', 'stack'],
    faults: ['isolation', 'users', 'history', 'stack'],
  },
  'tools/fuzz': {
    cost: [],
    model: [],
    values: ['model'],
    stack: ['values', 'model'],
    requests: ['stack', 'values', 'model', 'cost'],
    topics: ['values', 'cost'],
  },
}

/** Files beside the wings that wings may import; all others build on the wings. */
const bases = {
  'apps/gateway/src': ['client-address', 'config'],
  'apps/ari/src': ['config'],
  'apps/reservation-feed/src': ['config'],
  'apps/event-dispatch/src': ['address-rules', 'config', 'not-found'],
  'deploy/local/bootstrap': ['config'],
}

/** The folders of an app, without those of tests and of what a start leaves there. */
const foldersOf = (app) =>
  readdirSync(new URL(`${app}/`, import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(\..*|test|downloads)$/.test(entry.name))
    .map(({ name }) => name)

for (const [app, allowed] of Object.entries(wings)) {
  const unlisted = foldersOf(app).filter((folder) => !(folder in allowed))
  if (unlisted.length > 0) throw new Error(`list ${unlisted.join(', ')} of ${app} among its wings in eslint.config.mjs`)
}

/** Files of a wing, and of its folders, with the path from there to the files beside the wings. */
const DEPTHS = [
  ['*', '\\.\\./'],
  ['*/**/*', '\\.\\./\\.\\./'],
]

/** Imports between wings run one way: a wing that may not be imported is refused by the name of its folder. */
const wingImports = Object.entries(wings).flatMap(([app, allowed]) =>
  Object.entries(allowed).flatMap(([wing, others]) => {
    const closed = Object.keys(allowed).filter((each) => each !== wing && !others.includes(each))
    const message = `${wing} may import ${others.join(', ') || 'no other wing'}: see wings in eslint.config.mjs`
    const base = bases[app] ?? []
    const aboutBase = `of the files beside it, ${wing} may import ${base.join(', ') || 'none'}: see bases in eslint.config.mjs`
    return DEPTHS.map(([files, up]) => ({
      files: [`${app}/${wing}/${files}.{ts,tsx,mjs}`],
      ignores: ['**/*.spec.ts'],
      rules: {
        '@typescript-eslint/no-restricted-imports': [
          'error',
          {
            patterns: [
              regex(`^(\\.\\./)+(${closed.join('|')})/`, message),
              regex(`^${up}(?!(${base.join('|')})\\.[a-z]+$)[^/]+$`, aboutBase),
            ],
          },
        ],
      },
    }))
  }),
)

/** Roles by which files of an app are named; `Injectable` classes have one. */
const ROLES = 'client consumer controller filter hook interceptor pipe publisher routes service store'.split(' ')

const SQL = '/^\\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|SAVEPOINT|ROLLBACK TO|NOTIFY|LOCK TABLE|SET LOCAL)\\b/'
const sqlOnlyInStores = [`Literal[value=${SQL}]`, `TemplateElement[value.raw=${SQL}]`].map((selector) => ({
  selector,
  message: 'SQL belongs in *.store.ts, migrations and libs/database',
}))
const noStateBesideRequests = {
  selector:
    'NewExpression[callee.name=/^Weak(Map|Set)$/] Identifier[name=/^(Transaction|FastifyRequest|IncomingMessage|ServerResponse)$/]',
  message: 'keep the state in the transaction or the request itself',
}
const noPathOfUrl = {
  selector:
    'MemberExpression[property.name="pathname"] > NewExpression.object > MetaProperty, MemberExpression[property.name="pathname"] > NewExpression.object[arguments.1.property.name="url"]',
  message: 'use fileURLToPath: the pathname of a URL is escaped, so it names another file where a folder has a space',
}
const injectableHasRole = {
  selector: 'ClassDeclaration > Decorator[expression.callee.name="Injectable"]',
  message: `name the file by its role: *.${ROLES.join('.ts, *.')}.ts`,
}

const only = (name, message) => ({ name, message })
const TS_EXTENSION = regex('^\\.{1,2}/.*\\.ts$', 'compiled code imports .js; only Node.js runs .ts')
const NO_VIEW = regex('\\.view\\.js$', 'a store returns rows; controllers and services present them')

const INTERVAL = 'repeated work is a BackgroundLoop of libs/service-kit; list other intervals in eslint.config.mjs'
/** Files that may use `setInterval`, each with the reason. */
const otherIntervals = [
  // Signs of life of a session that holds locks, and ends with it.
  'libs/database/src/locks.ts',
  // Watches the bytes of one attempt, and ends with it.
  'apps/event-dispatch/src/sending/http-sender.client.ts',
  // Measures readers, only while bytes are kept for them.
  'apps/gateway/src/forwarding/answers/answer-memory.service.ts',
  // Rounds of 10 ms, only while long bodies or the rest of refused ones are read.
  'apps/gateway/src/http/connections/paced-reads.ts',
]

/** What a file may import follows from its place; each exception is listed beside the rule it lifts. */
const restrictedImports = ({ allow = [], patterns = [TS_EXTENSION] } = {}) => [
  'error',
  {
    paths: [
      only('kafkajs', 'kafkajs is known to libs/kafka only'),
      only('typeorm', 'typeorm belongs in *.entity.ts, *.store.ts, migrations and libs/database'),
      { ...only('node:timers/promises', INTERVAL), importNames: ['setInterval'] },
    ].filter(({ name }) => !allow.includes(name)),
    patterns: [regex('^@nestjs/typeorm', 'open data sources through libs/database'), ...patterns],
  },
]

/** A landed migration never changes: it holds its SQL, and imports nothing that may. */
const migrationImports = (pattern, message) => [
  'error',
  {
    paths: [{ ...only('typeorm', 'a migration takes only types from typeorm'), allowTypeImports: true }],
    patterns: [regex(pattern, message)],
  },
]

/** Rule: what a file exports has a comment of its own; overloads share that of the first. */
const describedExports = {
  create: ({ sourceCode, report }) => {
    let last
    return {
      ExportNamedDeclaration(node) {
        const { declaration } = node
        if (!declaration) return
        const name = declaration.id?.name ?? declaration.declarations[0].id.name
        const [first = node] = declaration.decorators ?? []
        const start = first.range[0] < node.range[0] ? first : node
        const isDescribed = sourceCode.getCommentsBefore(start).some(({ value }) => value.startsWith('*'))
        if (!isDescribed && name !== last) report({ node, message: `describe ${name}: shape, units and errors` })
        last = name
      },
    }
  },
}

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      '**/.state*/**',
      '.nx/**',
      '**/.vitepress/.temp/**',
      'apps/*/src/api/description.ts',
    ],
  },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': ['error', boundaries()],
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-imports': restrictedImports(),
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'read the environment in config.ts only' },
      ],
      'max-lines': ['error', { max: 200, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
      complexity: ['error', 8],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['**/*.entity.ts', '**/migrations/*.ts', '**/migrate.ts'],
    rules: { 'no-restricted-imports': restrictedImports({ allow: ['typeorm'] }) },
  },
  { files: ['libs/database/**/*.ts'], rules: { 'no-restricted-imports': restrictedImports({ allow: ['typeorm'] }) } },
  {
    files: ['libs/kafka/**/*.ts', 'libs/testing/**/*.ts'],
    rules: { 'no-restricted-imports': restrictedImports({ allow: ['kafkajs'] }) },
  },
  {
    files: ['**/*.store.ts'],
    rules: { 'no-restricted-imports': restrictedImports({ allow: ['typeorm'], patterns: [TS_EXTENSION, NO_VIEW] }) },
  },
  ...wingImports,
  {
    files: ['**/migrations/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': migrationImports(
        '^(?!typeorm$|\\./[^/]+\\.js$)',
        'a migration holds its SQL: import only types of typeorm and files beside it',
      ),
    },
  },
  {
    files: ['**/migrations/migrations.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': migrationImports(
        '^(?!\\./[^/]+\\.js$|@connectivity/[^/]+/migrations$)',
        'the list of migrations imports nothing but migrations',
      ),
    },
  },
  {
    files: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'],
    ignores: ['**/*.spec.ts', 'libs/database/**', 'libs/testing/**', '**/migrations/**'],
    rules: { 'no-restricted-syntax': ['error', noStateBesideRequests, ...sqlOnlyInStores] },
  },
  {
    // A text that a stranger sends must not hold the event loop.
    files: ['apps/*/src/**/*.{ts,tsx}', 'libs/*/src/**/*.{ts,tsx}'],
    ignores: ['**/*.spec.ts', 'libs/testing/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  {
    files: ['apps/*/src/**/*.{ts,tsx}', 'libs/*/src/**/*.{ts,tsx}'],
    ignores: ['**/*.spec.ts', '**/migrations/**'],
    plugins: { own: { rules: { 'described-exports': describedExports } } },
    rules: { 'own/described-exports': 'error' },
  },
  {
    files: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'],
    ignores: ['**/*.spec.ts', ...otherIntervals],
    rules: { 'no-restricted-globals': ['error', only('setInterval', INTERVAL)] },
  },
  {
    files: ['apps/*/src/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/migrations/**'],
    rules: { 'no-restricted-syntax': ['error', noStateBesideRequests, ...sqlOnlyInStores, injectableHasRole] },
  },
  {
    files: [`apps/*/src/**/*.{${ROLES.join(',')}}.ts`],
    rules: { 'no-restricted-syntax': ['error', noStateBesideRequests, ...sqlOnlyInStores] },
  },
  {
    files: ['**/*.store.ts'],
    rules: { 'no-restricted-syntax': ['error', noStateBesideRequests] },
  },
  { files: ['{deploy,tools,examples}/**/*.ts'], rules: { 'no-restricted-syntax': ['error', noPathOfUrl] } },
  {
    // Browser applications: Vite reads their source as it is.
    files: ['apps/{portal,console}/**/*.{ts,tsx}', 'libs/ui/**/*.{ts,tsx}'],
    ...reactHooks.configs.flat['recommended-latest'],
  },
  {
    files: ['apps/{portal,console}/**/*.{ts,tsx}', 'libs/ui/**/*.{ts,tsx}'],
    rules: { 'no-restricted-imports': restrictedImports({ patterns: [] }) },
  },
  // A component's markup is one expression.
  { files: ['**/*.tsx'], rules: { 'max-lines-per-function': ['error', { max: 60, skipBlankLines: true }] } },
  { files: ['**/config.ts'], rules: { 'no-restricted-properties': 'off' } },
  {
    files: ['**/*.spec.ts', '**/test/**/*.ts', 'libs/testing/**/*.ts'],
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        boundaries({ forTests: ['lib:testing', 'lib:toolkit', 'fast-check'] }),
      ],
      'max-lines-per-function': 'off',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'no-restricted-properties': 'off',
    },
  },
  {
    // The workshop: Node.js runs these programs uncompiled. They build on the local stack and on each other, speak to
    // Kafka themselves, and use what tests use.
    files: [
      'tools/**/*.ts',
      'deploy/local/**/*.ts',
      'deploy/docker/**/*.ts',
      'deploy/kubernetes/{overlays/local,prove,prove/database,prove/envoy,prove/node,chart}/*.ts',
      'deploy/kubernetes/{prove,chart}.ts',
    ],
    ignores: ['tools/docs/**'],
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        boundaries({ forTests: ['lib:testing', 'lib:toolkit'], allow: WORKSHOP }),
      ],
      'no-restricted-imports': restrictedImports({ allow: ['kafkajs'], patterns: [] }),
    },
  },
  prettier,
  {
    // Prettier wraps code, but no comments.
    rules: {
      'max-len': [
        'error',
        { code: Infinity, comments: 120, ignoreUrls: true, ignorePattern: 'eslint-disable|prettier-ignore' },
      ],
    },
  },
)
