// Redis 6.2 from the embedded-redis jar, or the program that REDIS_SERVER names. It holds rate-limit counters and no
// data that must outlive it.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { downloads, redisServer } from '../bootstrap/config.mjs'
import { Refusal } from '../bootstrap/machine/refusal.mjs'
import type { Spec } from '../bootstrap/processes/supervisor.mjs'

// The jar's amd64 build needs OpenSSL 3; its 386 build is static and runs on amd64 where that is missing.
const BINARIES: Record<string, string[]> = {
  'linux-x64': ['redis-server-6.2.6-v5-linux-amd64', 'redis-server-6.2.7-linux-386'],
  'linux-arm64': ['redis-server-6.2.7-linux-arm64'],
  'darwin-x64': ['redis-server-6.2.6-v5-darwin-amd64'],
  'darwin-arm64': ['redis-server-6.2.6-v5-darwin-arm64'],
}

const runs = (file: string): boolean => existsSync(file) && spawnSync(file, ['--version']).status === 0

function binary(): string {
  if (redisServer && !runs(redisServer))
    throw new Refusal(`REDIS_SERVER names a program that does not run: ${redisServer}.`)
  if (redisServer) return redisServer
  const platform = `${process.platform}-${process.arch}`
  const found = (BINARIES[platform] ?? []).map((name) => join(downloads, 'redis', name)).find(runs)
  if (found) return found
  throw new Refusal(`No Redis binary runs on this machine (${platform}): npm start -- --docker, or set REDIS_URL.`)
}

/** Options of a server. */
interface RedisOptions {
  stateDir: string
  port: number
  /** Address of this machine; loopback by default. */
  address?: string
  /** Password of all clients; none by default. */
  password?: string
}

function answersPing(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 1_000 }, () => socket.write('PING\r\n'))
    const settle = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('data', (data) => settle(/^(\+PONG|-NOAUTH)/.test(String(data))))
    for (const event of ['error', 'timeout', 'close']) socket.once(event, () => settle(false))
  })
}

/** Specification of the Redis process; its folder is under the state folder. */
export function redis({ stateDir, port, address = '127.0.0.1', password }: RedisOptions): { url: string; spec: Spec } {
  const dir = join(stateDir, 'redis')
  const file = binary()
  mkdirSync(dir, { recursive: true })
  const memoryOnly = ['--save', '', '--appendonly', 'no']
  const access = password === undefined ? [] : ['--requirepass', password]
  return {
    url: `redis://${password === undefined ? '' : `:${password}@`}${address}:${port}`,
    spec: {
      name: 'redis',
      title: 'Redis',
      kind: 'part',
      command: () => ({ file, args: ['--port', `${port}`, '--bind', address, '--dir', dir, ...memoryOnly, ...access] }),
      isReady: () => answersPing(address, port),
    },
  }
}
