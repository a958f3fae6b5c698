#!/usr/bin/env node
// npm run describe:clients: makes clients from docs/openapi.json with openapi-generator, compiles each where its
// compiler is installed, and makes signed calls with the Python client. Exits with 1 when any of it fails.
import { step } from '../../deploy/local/bootstrap/machine/progress.mjs'
import { ready } from '../../deploy/local/bootstrap/machine/ready.mjs'
import { run } from '../../deploy/local/bootstrap/machine/run.mjs'
import { runAgain } from '../../deploy/local/bootstrap/processes/own-node.mjs'

async function makeClients(): Promise<void> {
  const { fetchGenerator, generate } = await import('./generator.ts')
  const { compiled, languages } = await import('./languages.ts')
  const { has } = await import('./commands.ts')
  const { callWithPython } = await import('./python-client.ts')
  await step('openapi-generator fetched', fetchGenerator)
  const folders = new Map<string, string>()
  for (const language of languages) {
    const folder = await generate(language.name, language.options)
    folders.set(language.name, folder)
    process.stdout.write(`${language.name.padEnd(8)}${await compiled(folder, language)}\n`)
  }
  const calls = has('python3') ? await callWithPython(folders.get('python')!) : 'makes no calls: no python3'
  process.stdout.write(`python  ${calls}\n`)
}

await run(async () => {
  if (!(await ready({ parts: true }))) return runAgain()
  return makeClients()
})
