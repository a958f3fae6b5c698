import type { CallText } from '../call-text.js'
import { ariCalls } from './ari.js'
import { authenticationCalls } from './authentication.js'
import { callbackCalls } from './callbacks.js'
import { digestCalls } from './digest.js'
import { diagnosisCalls } from './diagnosis.js'
import { eventCalls } from './events.js'
import { portalCalls } from './portal.js'
import { productionCalls } from './production.js'
import { propertyCalls } from './properties.js'
import { reservationCalls } from './reservations.js'
import { statusCalls } from './status.js'
import { supportCalls } from './support.js'

/** Every call of the partner interface in words, by method and path. */
export const calls: Record<string, CallText> = {
  ...authenticationCalls,
  ...portalCalls,
  ...propertyCalls,
  ...reservationCalls,
  ...statusCalls,
  ...digestCalls,
  ...ariCalls,
  ...eventCalls,
  ...callbackCalls,
  ...diagnosisCalls,
  ...productionCalls,
  ...supportCalls,
}
