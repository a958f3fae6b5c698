import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { hasProgram } from '@connectivity/toolkit/has-program'

/** How a guide's program is run, by the language of its block. */
interface Runtime {
  /** The program that the machine must have. */
  program: string
  /** Name of the source file. */
  file: string
  /** @returns arguments that run the source; the program's own follow */
  args: (source: string) => string[]
}

/** Settings of .NET from the environment, and its home. */
export const dotnetEnvironment = (home: string): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name.startsWith('DOTNET_')) as [string, string][],
  ),
  DOTNET_CLI_HOME: home,
  DOTNET_CLI_TELEMETRY_OPTOUT: '1',
})

/** Compiles a C# program. `dotnet run` prints more than the program does. */
function compiled(source: string): string[] {
  const env = { ...dotnetEnvironment(dirname(source)), PATH: process.env.PATH ?? '' }
  const dotnet = (...args: string[]) => execFileSync('dotnet', args, { env, encoding: 'utf8' })
  const major = Number(dotnet('--version').split('.')[0])
  const properties = {
    OutputType: 'Exe',
    TargetFramework: major < 5 ? 'netcoreapp3.1' : `net${major}.0`,
    EnableDefaultCompileItems: 'false',
  }
  const texts = Object.entries(properties).map(([name, value]) => `<${name}>${value}</${name}>`)
  const items = `<ItemGroup><Compile Include="${basename(source)}" /></ItemGroup>`
  writeFileSync(
    `${source}proj`,
    `<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>${texts.join('')}</PropertyGroup>${items}</Project>`,
  )
  const out = `${source}.out`
  dotnet('build', `${source}proj`, '--output', out)
  return [join(out, `${basename(source, '.cs')}.dll`)]
}

export const runtimes: Record<string, Runtime> = {
  js: { program: process.execPath, file: 'first-page.mjs', args: (source) => [source] },
  python: { program: 'python3', file: 'first_page.py', args: (source) => [source] },
  php: { program: 'php', file: 'first-page.php', args: (source) => [source] },
  csharp: { program: 'dotnet', file: 'FirstPage.cs', args: compiled },
  java: { program: 'java', file: 'FirstPage.java', args: (source) => ['-XX:TieredStopAtLevel=1', source] },
}

/** Languages whose programs run on this machine. */
export const runnable = Object.keys(runtimes).filter((language) => hasProgram(runtimes[language]!.program))
