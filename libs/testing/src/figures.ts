import { mkdirSync, writeFileSync } from 'node:fs'

const FOLDER = 'test-results/figures'

/** Whether the tests take long measurements and keep the results: `FIGURES=1 npm test -- PATH`. */
export const takesFigures = process.env.FIGURES !== undefined

/** Keeps measurements as `test-results/figures/<name>.json` when figures are taken. */
export function keepFigures(name: string, figures: object): void {
  if (!takesFigures) return
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(`${FOLDER}/${name}.json`, `${JSON.stringify(figures, null, 2)}\n`)
}

/** Keeps the duration of each test of the suite, in seconds by its name, when figures are taken. */
export function keepDurations(name: string): void {
  const durations: Record<string, number> = {}
  let begunAt = 0
  beforeEach(() => void (begunAt = performance.now()))
  afterEach(() => {
    durations[expect.getState().currentTestName ?? ''] = Math.round(performance.now() - begunAt) / 1000
  })
  afterAll(() => keepFigures(name, durations))
}
