import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Code of a guide in one language, block by block. */
export const blocksOf = (guide: string, language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, code]) => code!)

/** @returns the program's output */
export async function output(
  program: string,
  args: string[],
  env: Record<string, string>,
  cwd?: string,
): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { env, cwd, maxBuffer: 32 * 1024 * 1024 })
  return stdout
}
