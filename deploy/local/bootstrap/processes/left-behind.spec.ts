import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@connectivity/testing/eventually'
import { identify, isAlive, startOf } from './identity.mjs'
import { cleanUpAfterKilled } from './leftovers.mjs'
import { holderOf, release, tryTake } from './lock.mjs'
import { readPidFile } from './pid-file.mjs'

const own = { pid: process.pid, started: startOf(process.pid) }
const anotherTime = { pid: process.pid, started: 'long ago' }

describe('a process left by a killed launcher', () => {
  let dir: string
  const children: ChildProcess[] = []
  const sleeper = () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
    children.push(child)
    return identify(child.pid!)
  }
  const write = (...entries: object[]) => writeFileSync(join(dir, 'pids.json'), JSON.stringify(entries))
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'launcher-spec-'))
  })
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
    rmSync(dir, { recursive: true, force: true })
  })

  it('is recognised by pid and start time together', () => {
    expect(isAlive(own)).toBe(true)
    expect(isAlive(anotherTime)).toBe(false)
    expect(isAlive({ pid: process.pid, started: undefined })).toBe(false)
  })

  it('is ended by the next start, unlike a process that got the same pid later', async () => {
    const [left, stranger] = [sleeper(), sleeper()]
    const entry = { name: 'catalog', kind: 'service', signal: 'SIGTERM' }
    write({ ...entry, ...left }, { ...entry, ...stranger, started: 'before that process' })
    await cleanUpAfterKilled(dir)
    expect(isAlive(left)).toBe(false)
    expect(isAlive(stranger)).toBe(true)
    expect(readPidFile(join(dir, 'pids.json'))).toEqual([])
  })

  it('is ended together with the workers a command had started', async () => {
    const script = `const { spawn } = require('child_process')
      process.on('SIGTERM', () => process.exit(0))
      process.stdout.write(String(spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']).pid))
      setInterval(() => {}, 1000)`
    const command = spawn(process.execPath, ['-e', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
    children.push(command)
    const [pid] = (await once(command.stdout!, 'data')) as [Buffer]
    const worker = identify(Number(pid.toString()))
    write({ name: 'command', kind: 'command', signal: 'SIGTERM', ...identify(command.pid!) })
    await cleanUpAfterKilled(dir)
    await eventually(() => expect(isAlive(worker)).toBe(false))
  })

  it('does not lock the folder', () => {
    const lock = join(dir, 'launcher.lock')
    writeFileSync(lock, JSON.stringify(anotherTime))
    expect(holderOf(lock)).toBeUndefined()
    expect(tryTake(lock)).toBe(true)
    expect(holderOf(lock)).toEqual(own)
    expect(tryTake(lock)).toBe(false)
    release(lock)
    expect(tryTake(lock)).toBe(true)
  })

  it('has its lock replaced by one process at a time', () => {
    const lock = join(dir, 'launcher.lock')
    writeFileSync(lock, JSON.stringify(anotherTime))
    writeFileSync(`${lock}.turn`, JSON.stringify(sleeper()))
    expect(tryTake(lock)).toBe(false)
    writeFileSync(`${lock}.turn`, JSON.stringify(anotherTime))
    expect(tryTake(lock)).toBe(true)
    expect(readdirSync(dir)).toEqual(['launcher.lock'])
  })

  it('is ended at once by the guardian', async () => {
    const script = `
      import { Stack } from ${JSON.stringify(new URL('stack.mjs', import.meta.url).href)}
      const stack = new Stack({ dir: ${JSON.stringify(dir)} })
      const spec = { name: 'sleeper', title: 'sleeper', kind: 'part', isReady: async () => true }
      const args = ['-e', 'setInterval(() => {}, 1000)']
      await stack.supervisor.start({ ...spec, command: () => ({ file: process.execPath, args }) })
      setInterval(() => {}, 1000)`
    const launcher = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' })
    children.push(launcher)
    const entries = () => readPidFile(join(dir, 'pids.json'))
    await eventually(() => expect(entries()).toHaveLength(2))
    const started = entries()
    expect(started.every(isAlive)).toBe(true)
    launcher.kill('SIGKILL')
    await eventually(() => expect(started.some(isAlive)).toBe(false))
  })
})
