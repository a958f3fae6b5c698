import { readFileSync } from 'node:fs'

const swc = { ...JSON.parse(readFileSync(new URL('.swcrc', import.meta.url), 'utf8')), exclude: undefined, swcrc: false }

/** Kinds of test by file name: `.spec.ts` pure, `.int.spec.ts` real PostgreSQL/Redis/Kafka, `test/*.e2e.spec.ts` whole processes. */
export default {
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/deploy', '<rootDir>/examples'],
  testMatch: ['**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/\\.state'],
  modulePathIgnorePatterns: ['/dist/', '/\\.state'],
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@connectivity/source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', swc] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testTimeout: 30_000,
  maxWorkers: 2,
  forceExit: true,
}
