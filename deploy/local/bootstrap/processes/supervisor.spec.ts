import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@connectivity/testing/eventually'
import { PidFile } from './pid-file.mjs'
import { Supervisor } from './supervisor.mjs'

describe('a process that died', () => {
  const dir = mkdtempSync(join(tmpdir(), 'supervisor-spec-'))
  const pids: (number | undefined)[] = []
  const pidFile = new PidFile(join(dir, 'pids.json'))
  const onChange = () => pids.push(supervisor.pidOf('catalog'))
  const supervisor: Supervisor = new Supervisor({ pidFile, logDir: dir, onChange })
  afterAll(async () => {
    supervisor.release()
    process.kill(supervisor.pidOf('catalog')!, 'SIGKILL')
    await eventually(() => expect(supervisor.pidOf('catalog')).toBeUndefined())
    rmSync(dir, { recursive: true })
  })

  it('is announced with its new pid before it is ready again', async () => {
    let isReady = true
    await supervisor.start({
      name: 'catalog',
      title: 'catalog',
      kind: 'service',
      command: () => ({ file: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] }),
      isReady: () => Promise.resolve(isReady),
    })
    const dead = supervisor.pidOf('catalog')!
    isReady = false
    process.kill(dead, 'SIGKILL')
    await eventually(() => expect(pids).toEqual([expect.any(Number)]))
    expect(pids).not.toEqual([dead])
  })
})
