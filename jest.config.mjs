import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const swc = {
  ...JSON.parse(readFileSync(new URL('.swcrc', import.meta.url), 'utf8')),
  exclude: undefined,
  swcrc: false,
}

/**
 * Kinds of test by file name: `.spec.ts` pure, `.int.spec.ts` real PostgreSQL/Redis/Kafka, `test/*.e2e.spec.ts` whole
 * processes.
 */
export default {
  roots: ['apps', 'libs', 'deploy', 'examples', 'tools'].map((folder) => `<rootDir>/${folder}`),
  testMatch: ['**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/\\.state'],
  modulePathIgnorePatterns: ['/dist/', '/\\.state'],
  testEnvironment: '<rootDir>/tools/test/suite-environment.ts',
  testEnvironmentOptions: { customExportConditions: ['@connectivity/source', 'node', 'node-addons'] },
  testSequencer: '<rootDir>/tools/test/suite-order.ts',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', swc] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testTimeout: 120_000,
  // Suites wait for processes, brokers and clocks for much of their time.
  maxWorkers: availableParallelism() + 1,
}
