#!/usr/bin/env node
// npm run kubernetes:chart -- <folder>: writes a Helm chart with exactly the objects of overlays/production; the
// overlay's example texts become values. `helm package <folder>` packs it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chartOf, writeChart } from './chart/chart.ts'
import { built } from './prove/overlays.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write('name a folder: npm run kubernetes:chart -- <folder>\n')
  process.exit(1)
}
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  version: string
}
const files = chartOf(await built(['overlays/production']), version)
writeChart(folder, files)
process.stdout.write(`${folder}: ${files.size - 2} objects, ${version}\n`)
