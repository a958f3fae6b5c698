import { setImmediate as turn } from 'node:timers/promises'
import { createLogger } from '@connectivity/service-kit/logging'
import { Observations } from '../../admission/observations.service.js'
import type { LiveCredential } from '../../live/live-credential.js'
import type { EvidenceStore } from '../../registry/production/evidence.store.js'
import { Evidence } from './evidence.service.js'

const connectionOf = (connectionId: string, applicationId: string) =>
  ({ connectionId, applicationId, externalPropertyId: 'PMS-1', state: 'pilot' }) as const

describe('a call about the checklist', () => {
  const own = connectionOf('con_own', 'app_own')
  const ofNeighbour = connectionOf('con_neighbour', 'app_own')
  const ofOthers = connectionOf('con_others', 'app_others')
  let observations: Observations
  let evidence: Evidence
  let record: PromiseWithResolvers<void>

  beforeEach(() => {
    observations = new Observations()
    record = Promise.withResolvers<void>()
    const recording = () => record.promise
    const store = { record: recording, recordDenial: recording, recordCompleteMapping: recording }
    evidence = new Evidence(store as unknown as EvidenceStore, observations, createLogger('test', 'silent'))
    evidence.onModuleInit()
  })
  afterEach(() => record.resolve())

  /** Of the three connections, those whose calls wait for a recording. */
  const waiting = async () => {
    const done = new Set<string>()
    for (const each of [own, ofNeighbour, ofOthers]) void evidence.settled(each).then(() => done.add(each.connectionId))
    await turn()
    return [own, ofNeighbour, ofOthers].map(({ connectionId }) => connectionId).filter((id) => !done.has(id))
  }
  const denied = (ownConnectionOnly: boolean) =>
    observations.emit('denied', { ...own, ownConnectionOnly } as unknown as LiveCredential, 'req_1')

  it.each(['created', 'mapping-complete=3'])(
    'waits for the recording of %s until it has ended, of its own connection only',
    async (named) => {
      observations.emit('shown', 'con_own', named, 'req_1')
      expect(await waiting()).toEqual(['con_own'])
      record.resolve()
      await turn()
      expect(await waiting()).toEqual([])
    },
  )

  it('waits for a GET /properties that listed its connection', async () => {
    evidence.listed(['con_own', 'con_neighbour'], 'req_1')
    expect(await waiting()).toEqual(['con_own', 'con_neighbour'])
  })

  it("waits for a denial of its application, or of its connection's own credential", async () => {
    denied(true)
    expect(await waiting()).toEqual(['con_own'])
    denied(false)
    expect(await waiting()).toEqual(['con_own', 'con_neighbour'])
  })
})
