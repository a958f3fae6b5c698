// What a machine must have to run a node.
import { spawnSync } from 'node:child_process'

/** Programs of Linux distributions, and their packages on Debian. */
const NEEDED = [
  ['unshare', 'util-linux'],
  ['ip', 'iproute2'],
  ['iptables', 'iptables'],
  ['runc', 'runc'],
  ['openssl', 'openssl'],
] as const

const isThere = (program: string): boolean => spawnSync('sh', ['-c', 'command -v "$0"', program]).status === 0

/** Reasons why no node can run here; empty when one can. */
export function whatIsMissing(): string[] {
  if (process.platform !== 'linux') return ['a node needs Linux']
  const missing = NEEDED.filter(([program]) => !isThere(program)).map(([, debian]) => debian)
  return [
    ...(process.getuid?.() === 0 ? [] : ['a node needs root: it makes namespaces, mounts and control groups']),
    ...(missing.length > 0 ? [`install ${missing.join(', ')}: apt-get install ${missing.join(' ')}`] : []),
  ]
}
