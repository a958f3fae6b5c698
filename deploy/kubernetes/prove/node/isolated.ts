// Runs a program in namespaces of its own: network, mounts and processes. Whatever it starts ends with it, and nothing
// that it mounts, and no address or rule of its network, reaches the machine.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
  lstatSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { environmentWith } from '@connectivity/toolkit/config'
import { until } from '@connectivity/toolkit/until'
import { cache } from '../config.ts'

const CGROUPS = '/sys/fs/cgroup'
const UNSHARE = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc']
/** The first process of the namespace collects orphans, which Node would not do. */
const FIRST_PROCESS = ['sh', '-c', '"$@" & wait $!', 'sh']
const GONE_WITHIN = 5_000

/** Roots of the hierarchies of control groups: one of version 2, or one for each controller of version 1. */
const hierarchies = (): string[] =>
  existsSync(join(CGROUPS, 'cgroup.controllers'))
    ? [CGROUPS]
    : readdirSync(CGROUPS, { withFileTypes: true })
        .filter((entry) => entry.isDirectory()) // Some controllers are links to a hierarchy with several.
        .map(({ name }) => join(CGROUPS, name))

/**
 * Makes a control group that gets as much processor time as ten processes outside; by default it gets as much as one.
 */
function makeGroup(group: string): void {
  mkdirSync(group)
  const weights = { 'cpu.shares': '10240', 'cpu.weight': '1000' }
  for (const [file, weight] of Object.entries(weights))
    if (existsSync(join(group, file))) writeFileSync(join(group, file), weight)
}

/** Folders with the files of containers, among which no log of ours is. */
const OF_CONTAINERS = ['containerd', 'containerd-state', 'kubelet']

/** Copies the logs in a folder to the cache. @returns where they are */
function keepLogs(folder: string): string {
  const kept = join(cache, 'failed-run')
  const isKept = (file: string): boolean =>
    file.endsWith('.log') || (lstatSync(file).isDirectory() && !OF_CONTAINERS.includes(relative(folder, file)))
  rmSync(kept, { recursive: true, force: true })
  cpSync(folder, kept, { recursive: true, filter: isKept })
  return kept
}

/** Removes a control group and those inside it; the system keeps each until its processes are gone. */
async function removeGroup(group: string): Promise<void> {
  if (!existsSync(group)) return
  for (const entry of readdirSync(group, { withFileTypes: true }))
    if (entry.isDirectory()) await removeGroup(join(group, entry.name))
  await until(() => isRemoved(group), { within: GONE_WITHIN, every: 50, complaint: () => `${group} is still in use` })
}

function isRemoved(group: string): boolean {
  try {
    rmdirSync(group)
    return true
  } catch {
    return false
  }
}

/**
 * Runs a script of ours with a folder as its argument, whose name is that of a control group at the top of each
 * hierarchy. Both are removed afterwards.
 * @returns its exit code
 */
export async function runIsolated(script: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'kubernetes-node-'))
  chmodSync(folder, 0o711) // PostgreSQL runs under another account.
  const groups = hierarchies().map((root) => join(root, basename(folder)))
  try {
    for (const group of groups) makeGroup(group)
    const program = [process.execPath, script, folder]
    const env = environmentWith({ TMPDIR: folder })
    const child = spawn('unshare', [...UNSHARE, ...FIRST_PROCESS, ...program], { stdio: 'inherit', env })
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill('SIGKILL'))
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code !== 0) process.stderr.write(`The logs of this run are in ${keepLogs(folder)}.\n`)
    return code ?? 1
  } finally {
    await Promise.allSettled(groups.map(removeGroup))
    rmSync(folder, { recursive: true, force: true })
  }
}
