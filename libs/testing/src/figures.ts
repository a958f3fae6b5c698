import { mkdirSync, writeFileSync } from 'node:fs'

const FOLDER = 'test-results/figures'

/** Whether the tests measure for long and keep what they measured: `FIGURES=1 npm test -- PATH`. */
export const takesFigures = process.env.FIGURES !== undefined

/** Keeps measurements as `test-results/figures/<name>.json` when figures are taken. */
export function keepFigures(name: string, figures: object): void {
  if (!takesFigures) return
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(`${FOLDER}/${name}.json`, `${JSON.stringify(figures, null, 2)}\n`)
}
