// The languages that clients are generated for, and how their code is compiled.
import { globSync } from 'node:fs'
import { hasProgram } from '@connectivity/toolkit/has-program'
import { runProgram } from './commands.ts'

/** A language of openapi-generator. */
export interface Language {
  /** Name of the generator. */
  name: string
  options: readonly string[]
  /** The program that compiles the code, and what to install where it is missing. */
  compiler: string
  install: string
  /** Pattern of the files with code, below the client's folder. */
  files: string
  /** @throws Refusal for code that does not compile */
  compile: (folder: string, files: readonly string[]) => Promise<unknown>
}

export const languages: readonly Language[] = [
  {
    name: 'python',
    options: ['--package-name', 'partner_api'],
    compiler: 'python3',
    install: 'Python 3',
    files: '**/*.py',
    compile: (folder) => runProgram('python3', ['-m', 'compileall', '-q', folder]),
  },
  {
    name: 'php',
    options: [],
    compiler: 'php',
    install: 'php-cli',
    files: 'lib/**/*.php',
    compile: async (_folder, files) => {
      for (const file of files) await runProgram('php', ['-l', file])
    },
  },
  {
    name: 'java',
    options: ['--library', 'native'],
    compiler: 'mvn',
    install: 'Maven',
    files: 'src/main/**/*.java',
    compile: (cwd) => runProgram('mvn', ['-B', '-q', '-Dstyle.color=never', 'compile'], { cwd }),
  },
  {
    name: 'csharp',
    options: ['--library', 'restsharp', '--additional-properties', 'targetFramework=netstandard2.0'],
    compiler: 'mcs',
    install: 'mono-mcs; it checks the syntax only, for types the .NET SDK is needed',
    files: 'src/**/*.cs',
    compile: (_folder, files) => runProgram('mcs', ['--parse', '-langversion:latest', ...files]),
  },
]

/** Compiles a generated client. @returns what was done, for people */
export async function compiled(folder: string, { compiler, install, files, compile }: Language): Promise<string> {
  const found = globSync(files, { cwd: folder }).map((file) => `${folder}/${file}`)
  if (!hasProgram(compiler)) return `${found.length} files, not compiled: no ${compiler} (${install})`
  await compile(folder, found)
  return `${found.length} files compiled with ${compiler}`
}
