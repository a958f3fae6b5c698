// Parts of a stack's demo that benchmarks use.
import type { DemoApplication, DemoConnection } from '@connectivity/toolkit/hand-over'
import type { OwnStack } from '@connectivity/toolkit/own-stack'
import { present } from '@connectivity/toolkit/present'

/** The first application. */
export const applicationOf = ({ applications }: OwnStack): DemoApplication => present(applications[0], 'application')

/** The application's first connection. */
export const connectionOf = ({ connections }: DemoApplication): DemoConnection => present(connections[0], 'connection')
