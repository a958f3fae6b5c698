// The definitions (CRDs) of all operators of deploy/versions.yaml.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { goModule } from '@connectivity/toolkit/go-programs'
import { parseAllDocuments, stringify } from 'yaml'
import { strimziDefinitions } from './strimzi-definitions.ts'
import { type Operator, versions } from './versions.ts'

interface Definition {
  kind?: string
  spec: { versions: { name: string }[] }
}

/**
 * Definitions in files of a folder. Some are Helm templates, whose only templated lines are conditions around the whole
 * file.
 */
function definitionsIn(folder: string): Definition[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'))
  return files
    .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll(/^\{\{.*\}\}$/gm, ''))
    .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Definition | null))
    .filter((object) => object?.kind === 'CustomResourceDefinition') as Definition[]
}

async function folderOf({ module, definitions }: Operator): Promise<string> {
  return module === undefined ? strimziDefinitions() : join(await goModule(module), definitions!)
}

/** Definitions of one operator, as YAML. @throws Error if the place in deploy/versions.yaml holds none */
async function definitionsOf(name: string, operator: Operator): Promise<string> {
  const found = definitionsIn(await folderOf(operator))
  if (found.length === 0) throw new Error(`${name} ${operator.version}: no definitions were found`)
  return found.map((definition) => stringify(definition, { aliasDuplicateObjects: false })).join('---\n')
}

/** Definitions of every operator by its name, as YAML. */
export async function allDefinitions(): Promise<Map<string, string>> {
  const all = new Map<string, string>()
  for (const [name, operator] of Object.entries(versions.operators)) all.set(name, await definitionsOf(name, operator))
  return all
}
