import { startApplication } from '@connectivity/ui'
import { Console } from './console.tsx'
import { endIfRefused } from './session/session.ts'

startApplication('/console', <Console />, (_error, client) => endIfRefused(client))
