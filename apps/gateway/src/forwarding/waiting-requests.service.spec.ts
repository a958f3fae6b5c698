import { jest } from '@jest/globals'
import { EventEmitter } from 'node:events'
import type { Health } from '@connectivity/service-kit/health'
import { createLogger } from '@connectivity/service-kit/logging'
import { eventually } from '@connectivity/testing/eventually'
import type { Admission } from '../admission/admission.service.js'
import type { Admitted } from '../admission/admitted.js'
import type { Changes } from '../live/changes.service.js'
import type { ChangeStreams } from './change-streams.service.js'
import type { Answering, HeldAnswer } from './held-answer.js'
import { requestsWaiting } from './waiting-metrics.js'
import { WaitingRequests } from './waiting-requests.service.js'

const NOTHING_NEW: HeldAnswer = { status: 200, headers: {}, body: '{}' }

/** Streams of changes that a test writes itself. */
class ScriptedChanges {
  change: (service: string, connectionId: string | null) => void = () => undefined

  readonly waiting = new WaitingRequests(
    { onChange: (listener: typeof this.change) => (this.change = listener) } as unknown as ChangeStreams,
    { onChange: () => undefined, onEra: () => undefined } as unknown as Changes,
    { onStopping: () => undefined } as unknown as Health,
    {} as Admission,
    createLogger('test', 'silent'),
  )
}

function admittedPoll(): Admitted & { response: EventEmitter & { destroy: jest.Mock } } {
  const response = Object.assign(new EventEmitter(), { destroy: jest.fn() })
  const admitted = {
    id: 'correlation',
    method: 'GET',
    target: '/api/connectivity/v1/reservations?wait=20',
    operation: { owner: 'reservation-feed', waits: true },
    connection: { connectionId: 'con_1' },
    credential: { applicationId: 'app_1', keyId: 'key_1' },
    http: { headers: {}, record: { fields: {} } },
    reply: { raw: response },
    answerHeaders: {},
  }
  return { ...(admitted as unknown as Admitted), response }
}

const countWaiting = async (): Promise<number> => (await requestsWaiting.get()).values.at(0)?.value ?? 0

describe('a waiting request', () => {
  it('is disconnected and leaves its place when a look fails unexpectedly', async () => {
    const changes = new ScriptedChanges()
    const answering = {
      look: jest
        .fn<Answering['look']>()
        .mockResolvedValueOnce(NOTHING_NEW)
        .mockRejectedValueOnce(new Error('a defect')),
      end: jest.fn<Answering['end']>(),
    }
    const admitted = admittedPoll()
    await changes.waiting.answer(admitted, answering)
    expect(await countWaiting()).toBe(1)
    changes.change('reservation-feed', 'con_1')
    await eventually(() => expect(admitted.response.destroy).toHaveBeenCalledTimes(1))
    expect(await countWaiting()).toBe(0)
    expect(answering.end).not.toHaveBeenCalled()
  })

  it('looks again after each change and is answered once', async () => {
    const changes = new ScriptedChanges()
    const answering = {
      look: jest
        .fn<Answering['look']>()
        .mockResolvedValueOnce(NOTHING_NEW)
        .mockResolvedValueOnce(NOTHING_NEW)
        .mockResolvedValue(200),
      end: jest.fn<Answering['end']>(),
    }
    const admitted = admittedPoll()
    await changes.waiting.answer(admitted, answering)
    changes.change('reservation-feed', 'con_1')
    changes.change('reservation-feed', null)
    await eventually(() => expect(answering.look).toHaveBeenCalledTimes(2))
    changes.change('reservation-feed', 'con_1')
    await eventually(() => expect(answering.end).toHaveBeenCalledTimes(1))
    changes.change('reservation-feed', 'con_1')
    admitted.response.emit('close')
    expect(answering.end).toHaveBeenCalledWith(admitted, 200)
    expect(answering.look).toHaveBeenCalledTimes(3)
    expect(await countWaiting()).toBe(0)
  })
})
