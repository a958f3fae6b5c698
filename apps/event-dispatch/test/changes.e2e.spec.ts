import { eventually } from '@connectivity/testing/eventually'
import { DispatchProcesses } from './dispatch-process.js'

const CONNECTION = 'con_1'

describe('the stream of changes', () => {
  let dispatch: DispatchProcesses
  beforeAll(async () => {
    dispatch = await DispatchProcesses.create()
  })
  afterAll(() => dispatch.stop())

  it('names a connection whose index has grown, and one of whose deliveries has failed', async () => {
    const service = await dispatch.start()
    await dispatch.connect({ connection_id: CONNECTION })
    const changes = await dispatch.changes(service)
    const named = () =>
      changes.lines
        .join(' ')
        .split(' ')
        .filter((id) => id === CONNECTION).length
    await dispatch.publish({ connectionId: CONNECTION, sequence: 1 })
    await eventually(() => expect(named()).toBe(1))
    const failed = `UPDATE delivery SET state = 'failed', failed_at = now() WHERE connection_id = $1`
    await dispatch.sql.query(failed, [CONNECTION])
    await eventually(() => expect(named()).toBe(2))
    changes.close()
  })
})
