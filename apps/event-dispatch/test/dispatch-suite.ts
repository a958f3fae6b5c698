import { randomUUID } from 'node:crypto'
import type { ServiceProcess } from '@connectivity/testing/service-process'
import { DispatchProcesses } from './dispatch-process.js'
import { good, ScriptedReceiver } from './scripted-receiver.js'

/** One process of event dispatch for the suite. */
export let dispatch: DispatchProcesses
export let service: ServiceProcess
/** A receiver and a live connection of their own for each test. */
export let receiver: ScriptedReceiver
export let connection: string

/** Sets them up for all tests of the suite, and ends them. */
export function useDispatch(): void {
  beforeAll(async () => {
    dispatch = await DispatchProcesses.create()
    service = await dispatch.start()
  }, 60_000)
  afterAll(() => dispatch.stop())
  beforeEach(async () => {
    connection = `con_${randomUUID().replaceAll('-', '')}`
    receiver = await new ScriptedReceiver(good).start()
    await dispatch.connect({ connection_id: connection })
  })
  afterEach(() => receiver.stop())
}
