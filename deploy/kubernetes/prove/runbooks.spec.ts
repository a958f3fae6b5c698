import type { Kubectl } from './kubectl.ts'
import { feedsNotLive, raiseNumbers, runCommandsOfDatabases, stopFeed } from './runbooks.ts'

let pasted: [lines: string, input?: string][]
const kubectl = {
  paste: (...given: [string, string?]) => {
    pasted.push(given)
    return { isGood: true, stdout: ' connection_id | state ', errorLines: [] }
  },
  must: () => '',
} as unknown as Kubectl

beforeEach(() => {
  pasted = []
})

describe('lines of the pages for operators that need a database', () => {
  it('stop the feed', () => {
    stopFeed(kubectl)
    expect(pasted).toEqual([
      ['kubectl --namespace partner-connectivity scale deployment/reservation-feed --replicas=0'],
    ])
  })

  it('raise the numbers of events, in a folder', () => {
    raiseNumbers(kubectl, '/my folder')
    const [[lines]] = pasted as [[string]]
    expect(lines).toMatch(/^cd '\/my folder'\n# SQL on the primary.*\nsql\(\) \{\n {2}primary=/)
    expect(lines).toMatch(/\n\} \| sql reservation-feed-database-restored reservation_feed\n$/)
  })

  it('find feeds that were not live', () => {
    expect(feedsNotLive()).toMatch(/^SELECT connection_id, state, now\(\) FROM feed_connection WHERE state IN /)
  })

  it('are those of the plugin, in the pod of the primary, and those that ask a database', () => {
    expect(runCommandsOfDatabases(kubectl, 'primary-1')).toEqual({ run: 3, failed: [], left: [] })
    expect(pasted).toEqual([
      ['kubectl --namespace partner-connectivity logs primary-1 --container plugin-barman-cloud'],
      [
        expect.stringMatching(/^primary=\$\(kubectl .*\)\nkubectl .* exec --stdin "\$primary" .* psql --dbname /),
        expect.stringContaining('SELECT'),
      ],
    ])
  })
})
