import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@connectivity/testing/eventually'
import { freePort } from '@connectivity/testing/free-port'
import { launch } from '../bootstrap/processes/child.mjs'
import { newClusterId } from './cluster-id.ts'
import { kafka } from './kafka.ts'

describe('Kafka in the locale C', () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'launcher-spec-jürgen-'))
  afterAll(() => rmSync(stateDir, { recursive: true, force: true }))

  it('starts in a folder with a letter outside ASCII in its path', async () => {
    process.env.LC_ALL = 'C'
    const ports = { port: await freePort(), controllerPort: await freePort() }
    const { spec } = await kafka({ stateDir, logDir: stateDir, clusterId: newClusterId(), ...ports })
    expect(existsSync(join(stateDir, 'kafka/data/meta.properties'))).toBe(true)
    const { pid, exited } = launch(spec.command(), join(stateDir, 'kafka.log'))
    try {
      await eventually(async () => expect(await spec.isReady()).toBe(true))
    } finally {
      process.kill(pid!, 'SIGKILL')
      await exited
    }
  })
})
