// The network and the system's settings of the namespaces that a node runs in.
import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Address of this machine in the cluster. */
export const ADDRESS = '10.77.0.1'
/** Addresses of pods. */
export const PODS = '10.244.0.0/24'

const BRIDGE_CALLS = '/proc/sys/net/bridge/bridge-nf-call-iptables'

/** Settings of the whole system that kubelet wants: it finds them in files of ours, and the system stays as it is. */
const PRETENDED: Record<string, string> = {
  '/proc/sys/vm/overcommit_memory': '1',
  '/proc/sys/vm/panic_on_oom': '0',
  '/proc/sys/kernel/panic': '10',
  '/proc/sys/kernel/panic_on_oops': '1',
  '/proc/sys/kernel/keys/root_maxkeys': '1000000',
  '/proc/sys/kernel/keys/root_maxbytes': '25000000',
}
/** Folders of the system in which container programs keep what they know. */
const SCRATCH = ['/run', '/var/lib', '/var/log']

/** Places a file over one of the system's, also where that is a link to a file in a folder that is hidden now. */
function replace(target: string, folder: string, text: string): void {
  const own = join(folder, target.replaceAll('/', '-'))
  writeFileSync(own, text)
  const place = lstatSync(target).isSymbolicLink() ? resolve(dirname(target), readlinkSync(target)) : target
  if (!existsSync(place)) {
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, '')
  }
  run('mount', '--bind', own, place)
}

const run = (program: string, ...args: string[]): void => void execFileSync(program, args, { stdio: 'pipe' })

/** Makes files of a node's own in the namespace's view of the system. */
export function isolateFiles(folder: string): void {
  for (const place of SCRATCH) run('mount', '-t', 'tmpfs', 'tmpfs', place)
  for (const [file, value] of Object.entries(PRETENDED)) if (existsSync(file)) replace(file, folder, `${value}\n`)
  // The cluster's DNS answers at once that it does not know a name. The brokers look up the names of their clients, and
  // would wait for a server that this network cannot reach.
  replace('/etc/resolv.conf', folder, `nameserver ${ADDRESS}\n`)
}

/** Gives names addresses for the programs in the namespace. */
export function setHosts(folder: string, addresses: Readonly<Record<string, string>>): void {
  const lines = Object.entries({ localhost: '127.0.0.1', ...addresses }).map(([name, address]) => `${address} ${name}`)
  replace('/etc/hosts', folder, `${lines.join('\n')}\n`)
}

/** Gives the namespace an address, and a way to the addresses of the cluster's services. */
export function bringUpNetwork(): void {
  run('ip', 'link', 'set', 'lo', 'up')
  // A link that needs no other machine: every Linux has pairs, not every Linux has dummies.
  run('ip', 'link', 'add', 'node0', 'type', 'veth', 'peer', 'name', 'node1')
  run('ip', 'addr', 'add', `${ADDRESS}/24`, 'dev', 'node0')
  run('ip', 'link', 'set', 'node1', 'up')
  run('ip', 'link', 'set', 'node0', 'up')
  run('ip', 'route', 'add', 'default', 'dev', 'node0')
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1')
  // Packets between two pods of a bridge must pass the rules of services, too.
  if (existsSync(BRIDGE_CALLS)) writeFileSync(BRIDGE_CALLS, '1')
}
