import { EventDispatch1795000000000 } from './1795000000000-event-dispatch.js'
import { Deliveries1795400000000 } from './1795400000000-deliveries.js'

/** Every migration of event dispatch's database, oldest first. */
export const migrations = [EventDispatch1795000000000, Deliveries1795400000000]
