import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkNode } from './bootstrap/machine/requirements.mjs'

const launcher = fileURLToPath(new URL('start.mjs', import.meta.url))

describe('npm start', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'launcher-spec-'))
    symlinkSync(process.execPath, join(dir, 'node'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  const start = (env: Record<string, string>, ...args: string[]) =>
    spawnSync(process.execPath, [launcher, ...args], {
      env: { PATH: dir, HOME: dir, STATE_DIR: join(dir, 'state'), ...env },
      encoding: 'utf8',
    })
  const sentence = (text: string) => text.trim().split('\n')

  it('explains how to install java when it is missing, and the alternative with Docker', () => {
    const { status, stderr } = start({})
    expect(status).toBe(1)
    expect(sentence(stderr)).toEqual([expect.stringMatching(/^Kafka needs Java 17 .* install it .*--docker$/)])
  })

  it('reports that java is too old', () => {
    writeFileSync(join(dir, 'java'), '#!/bin/sh\necho \'openjdk version "11.0.2" 2019-01-15\' >&2\n', { mode: 0o755 })
    expect(start({}).stderr).toContain("this machine's is 11.0.2")
  })

  it('reports a broken JAVA_HOME', () => {
    const { status, stderr } = start({ JAVA_HOME: '/nowhere' })
    expect(status).toBe(1)
    expect(sentence(stderr)).toEqual([expect.stringMatching(/^JAVA_HOME points to \/nowhere, .*unset JAVA_HOME/)])
  })

  it('reports that docker is missing', () => {
    const { status, stderr } = start({}, '--docker')
    expect(status).toBe(1)
    expect(sentence(stderr)).toEqual([expect.stringMatching(/^There is no docker on this machine: install it/)])
  })

  it('refuses an unknown argument, and prints help', () => {
    expect(start({}, '--dokcer')).toMatchObject({ status: 1, stderr: expect.stringContaining('--dokcer') })
    expect(start({}, '--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('STATE_DIR') })
  })

  it('refuses a Node older than 20.19', () => {
    for (const old of ['18.20.1', '20.18.3']) expect(() => checkNode(old)).toThrow(/is too old: install Node 20\.19/)
    for (const good of ['20.19.0', '22.1.0', '24.21.0']) expect(() => checkNode(good)).not.toThrow()
  })
})
