// The generated Python client makes signed calls to a stack of its own: the program of the guide, and some more.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environmentWith } from '@connectivity/toolkit/config'
import { withOwnStack } from '@connectivity/toolkit/own-stack'
import { root } from '../../deploy/local/bootstrap/config.mjs'
import { Refusal } from '../../deploy/local/bootstrap/machine/refusal.mjs'
import { runProgram } from './commands.ts'
import { CACHE } from './generator.ts'

const GUIDE = join(root, 'docs/guides/clients.md')
const MORE_CALLS = join(import.meta.dirname, 'python/signed_calls.py')

/** Writes the program. @returns its file */
function program(): string {
  const [, block] = /^```python\n([\s\S]*?)^```/m.exec(readFileSync(GUIDE, 'utf8'))!
  const file = join(CACHE, 'signed_calls.py')
  writeFileSync(file, block! + readFileSync(MORE_CALLS, 'utf8'))
  return file
}

/** Last line that the program prints. */
interface Answers {
  properties: string[]
  pulled: number
  cells: number
  refused: { status: number; code: string; message: string } | null
}

/** Installs the packages that the client needs. @returns the Python that has them */
async function pythonWith(client: string): Promise<string> {
  const folder = join(CACHE, 'python-packages')
  const python = join(folder, 'bin/python')
  if (!existsSync(python)) await runProgram('python3', ['-m', 'venv', folder])
  await runProgram(python, ['-m', 'pip', 'install', '--quiet', '-r', join(client, 'requirements.txt')])
  return python
}

function check({ properties, pulled, cells, refused }: Answers, connectionId: string): void {
  const isRight =
    properties.includes(connectionId) &&
    pulled > 0 &&
    cells === 2 &&
    refused?.status === 403 &&
    refused.code === 'property_forbidden' &&
    refused.message !== ''
  const found = JSON.stringify({ properties, pulled, cells, refused })
  if (!isRight) throw new Refusal(`The Python client got unexpected answers: ${found}`)
}

/** @param client folder of the generated client @returns what was done, for people @throws Refusal */
export async function callWithPython(client: string): Promise<string> {
  const python = await pythonWith(client)
  return withOwnStack(async ({ base_url: BASE_URL, applications }) => {
    const { property_id: PROPERTY_ID, signing } = applications[0]!.connections[0]!
    const keys = { KEY_ID: signing.key_id, SIGNING_SECRET: signing.signing_secret }
    const env = environmentWith({ PYTHONPATH: client, BASE_URL, PROPERTY_ID, ...keys })
    const printed = await runProgram(python, [program()], { env })
    const answers = JSON.parse(printed.trim().split('\n').at(-1)!) as Answers
    check(answers, PROPERTY_ID)
    return `pulled ${answers.pulled} reservations, wrote availability (dry run) and read a refusal`
  })
}
