import type { ConnectionState, Environment } from '@connectivity/contracts/connection-events'
import { type TransitionTarget, transitionTargets } from '@connectivity/contracts/operators-api'

/** The part of a connection that its moves read and write. */
export interface ConnectionStanding {
  state: ConnectionState
  /** State to which `enabled` leads back; null unless disabled. */
  stateBeforeDisabled: ConnectionState | null
  environment: Environment
  disabledAt: Date | null
  /** Reason for a disabling that the partner sees. */
  publicReason: string | null
}

/** Target of an operator's move; a rejected production request moves a connection back to the pilot. */
export type Move = TransitionTarget | 'back_to_pilot'

/** provisioning → pilot → certification_pending → production. */
const before: Partial<Record<TransitionTarget, ConnectionState>> = {
  pilot: 'provisioning',
  certification_pending: 'pilot',
  production: 'certification_pending',
}

/** Fields of a connection that is not disabled. */
const notDisabled = { stateBeforeDisabled: null, disabledAt: null, publicReason: null }

const enabled = (standing: ConnectionStanding): ConnectionStanding | null =>
  standing.state === 'disabled' ? { ...standing, state: standing.stateBeforeDisabled!, ...notDisabled } : null

const disabled = (standing: ConnectionStanding, publicReason: string | null, now: Date): ConnectionStanding | null =>
  standing.state === 'disabled' || standing.state === 'closed'
    ? null
    : { ...standing, state: 'disabled', stateBeforeDisabled: standing.state, disabledAt: now, publicReason }

const closed = (standing: ConnectionStanding): ConnectionStanding | null =>
  standing.state === 'closed' ? null : { ...standing, state: 'closed', ...notDisabled }

const advanced = (standing: ConnectionStanding, to: 'pilot' | 'certification_pending' | 'production') =>
  standing.state === before[to]
    ? { ...standing, state: to, environment: to === 'production' ? to : standing.environment }
    : null

const backToPilot = (standing: ConnectionStanding): ConnectionStanding | null =>
  standing.state === 'certification_pending' ? { ...standing, state: 'pilot' } : null

/** Targets that an operator can move the connection to now. */
export const allowedTargets = (standing: ConnectionStanding): TransitionTarget[] =>
  transitionTargets.filter((to) => move(standing, to, null, new Date(0)) !== null)

/**
 * Moves a connection. With its first move to production its environment becomes production permanently.
 * @returns null when its state does not allow the move
 */
export function move(
  standing: ConnectionStanding,
  to: Move,
  publicReason: string | null,
  now: Date,
): ConnectionStanding | null {
  if (to === 'back_to_pilot') return backToPilot(standing)
  if (to === 'enabled') return enabled(standing)
  if (to === 'disabled') return disabled(standing, publicReason, now)
  return to === 'closed' ? closed(standing) : advanced(standing, to)
}
