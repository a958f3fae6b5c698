// Environment of the processes that a tool starts.

/** The environment of this process, with more or other keys. */
export const environmentWith = (more: Record<string, string>): NodeJS.ProcessEnv => ({ ...process.env, ...more })

/** The environment variable that the starting process has set. */
export function given(key: string): string {
  const value = process.env[key]
  if (value === undefined) throw new Error(`${key} is not set: run the tool that starts this program`)
  return value
}
