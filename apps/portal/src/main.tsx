import { startApplication } from '@connectivity/ui'
import { endIfRefused } from './session/session.ts'
import { Portal } from './portal.tsx'

startApplication('/portal', <Portal />, endIfRefused)
