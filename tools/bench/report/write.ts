// docs/benchmarks: one JSON file and its plots for each benchmark, and one page made from all of them.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import prettier from 'prettier'
import { root } from '../../../deploy/local/bootstrap/config.mjs'
import type { Surroundings } from './machine.ts'
import { plot } from './plot.ts'
import { type Figure, figureText, type Report, type Table, tableText } from './report.ts'

/** The JSON file of one benchmark. */
interface Section {
  /** Name as on the command line. */
  name: string
  /** Surroundings before it began. */
  surroundings: Surroundings
  tables: Table[]
  figures: Figure[]
  /** File of each table's plot; null for a table without bars. */
  plots: (string | null)[]
}

const folder = join(root, 'docs/benchmarks')

const kept = (name: string): Section => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Section

/** Replaces the plots of one benchmark; resolves with the file for each of its tables, null for one without bars. */
async function writePlots(name: string, tables: readonly Table[]): Promise<Section['plots']> {
  for (const file of readdirSync(folder)) if (new RegExp(`^${name}-\\d+\\.svg$`).test(file)) rmSync(join(folder, file))
  const files: Section['plots'] = []
  for (const [index, table] of tables.entries()) {
    const svg = await plot(table)
    const file = svg && `${name}-${index + 1}.svg`
    if (file) writeFileSync(join(folder, file), svg)
    files.push(file)
  }
  return files
}

function sectionText({ name, surroundings, tables, figures, plots }: Section): string {
  const { measured_at, commit, machine, node, load_before } = surroundings
  const where = `\`npm run bench -- ${name}\`, ${measured_at}, commit ${commit}, Node ${node}, ${machine}, load before ${load_before}.`
  const parts = tables.map((table, index) => {
    const image = plots[index] ? `\n![${table.title}](${plots[index]})\n` : ''
    return `${tableText(table)}${image}`
  })
  return [`## ${name}`, where, ...parts, figures.map((figure) => `- ${figureText(figure)}`).join('\n')].join('\n\n')
}

const HEAD = `# Benchmarks

Written by \`npm run bench\`. Each benchmark measures beside its floor, in turn and on one stack, so that ratios hold on
other machines too; times and rates are those of the machine named. CPU is that of whole processes, all of them summed.

Tables of where time goes sample by the clock: a write to a socket includes the time for which the kernel lets the process
that it woke run first. [Aims](aims.md) explains each missed aim and what was tried.`

/**
 * Writes the files of one benchmark and the page of all of them.
 * @param name of the benchmark, as on the command line
 * @param surroundings before it began
 * @param order of the benchmarks on the page
 */
export async function writeReport(
  name: string,
  { tables, figures }: Report,
  surroundings: Surroundings,
  order: readonly string[],
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const file = name.replaceAll(' ', '-')
  const plots = await writePlots(file, tables)
  const section: Section = { name, surroundings, tables, figures, plots }
  writeFileSync(join(folder, `${file}.json`), `${JSON.stringify(section, null, 2)}\n`)
  const known = new Set(readdirSync(folder))
  const names = order.map((one) => one.replaceAll(' ', '-')).filter((one) => known.has(`${one}.json`))
  const page = [HEAD, ...names.map((one) => sectionText(kept(one)))].join('\n\n')
  writeFileSync(
    join(folder, 'README.md'),
    await prettier.format(page, { parser: 'markdown', printWidth: 120, proseWrap: 'always' }),
  )
}
