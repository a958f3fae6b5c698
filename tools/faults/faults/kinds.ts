// All faults, in the order of a run.
import { isolation } from './isolation.ts'
import type { Fault } from './fault.ts'
import { kills } from './kills.ts'
import { messages } from './messages.ts'
import { network } from './network.ts'
import { parts } from './parts.ts'
import { pauses } from './pauses.ts'
import { restarts } from './restarts.ts'

export const faults: Fault[] = [...messages, ...restarts, ...kills, ...pauses, ...parts, ...network, ...isolation]
