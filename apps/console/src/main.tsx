import { startApplication } from '@connectivity/ui/application'
import { Console } from './console.tsx'
import { endIfRefused } from './session/session.ts'

startApplication('/console', <Console />, endIfRefused)
