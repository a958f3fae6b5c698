#!/usr/bin/env node
// npm run describe:clients: makes clients from docs/openapi.json with openapi-generator, compiles each where its
// compiler is installed, and makes signed calls with the Python client. Exits with 1 if any step fails.
import { step } from '../../deploy/local/bootstrap/machine/progress.mjs'
import { run } from '../../deploy/local/bootstrap/machine/run.mjs'
import { optionsOf } from '../../deploy/local/machine/options.ts'
import { hasProgram } from '@connectivity/toolkit/has-program'
import { fetchGenerator, generate } from './generator.ts'
import { compiled, languages } from './languages.ts'
import { callWithPython } from './python-client.ts'

const HELP = `npm run describe:clients   a few minutes; leaves out languages whose compiler is missing
`

await run(async () => {
  if (!optionsOf({}, HELP)) return
  await step('openapi-generator fetched', fetchGenerator)
  const folders = new Map<string, string>()
  for (const language of languages) {
    const folder = await generate(language.name, language.options)
    folders.set(language.name, folder)
    process.stdout.write(`${language.name.padEnd(8)}${await compiled(folder, language)}\n`)
  }
  const calls = hasProgram('python3') ? await callWithPython(folders.get('python')!) : 'makes no calls: no python3'
  process.stdout.write(`python  ${calls}\n`)
})
