import { describeAnswers } from './whole-stack/described-answers.js'
import { describeBrokenSamples } from './whole-stack/broken-samples.js'
import { describeGeneratedClient } from './whole-stack/generated-client.js'
import { describeCallSamples, describeQuickStart, describeSigningGuide } from './whole-stack/guides.js'
import { describeMappedInventory } from './whole-stack/mapped-inventory.js'
import { describePilot } from './whole-stack/pilot.js'
import { describePullClient } from './whole-stack/pull-client.js'
import { describeReadme } from './whole-stack/readme.js'
import { startSystem, stopSystem, type System } from './whole-stack/system.js'
import { describeTimeline } from './whole-stack/timeline.js'
import { describeTraces } from './whole-stack/traces.js'
import { describeWaiting } from './whole-stack/waiting.js'

let system: System | undefined
beforeAll(async () => {
  system = await startSystem()
}, 200_000)
afterAll(() => system && stopSystem(system))

const running = (): System => system!

describeSigningGuide(running)
describeCallSamples(running)
describeBrokenSamples(running)
describeQuickStart(running)
describeReadme(running)
describeGeneratedClient(running)
describeAnswers(running)
describePullClient(running)
describeTimeline(running)
describeWaiting(running)
describePilot(running)
describeMappedInventory(running)
// Runs last: stops the collector, and reads the traces of all suites above.
describeTraces(running)
