import { type AriProcess, ariProcess } from './ari-process.js'
import { PropertyUnderTest } from './property-under-test.js'

/** The service of a test file that calls `useAri`. */
export let ari: AriProcess
/** The property of the test that is running: each has its own. */
export let property: PropertyUnderTest

/** Runs the service for the tests of the file. */
export function useAri(): void {
  beforeAll(async () => {
    ari = await ariProcess()
  }, 60_000)
  afterAll(() => ari.end(), 30_000)
  beforeEach(async () => {
    property = await PropertyUnderTest.arrive(ari)
  })
}
