import 'reflect-metadata'
import type { ConnectionState } from '@connectivity/contracts/connection-events'
import { type TransitionTarget, transitionTargets } from '@connectivity/contracts/operators-api'
import { allowedTargets, type ConnectionStanding, move } from './connection.js'

const now = new Date('2026-11-20T10:00:00.000Z')
const at = (state: ConnectionState, given: Partial<ConnectionStanding> = {}): ConnectionStanding => ({
  state,
  stateBeforeDisabled: null,
  environment: 'sandbox',
  disabledAt: null,
  publicReason: null,
  ...given,
})

const allowed: Record<ConnectionState, TransitionTarget[]> = {
  provisioning: ['pilot', 'disabled', 'closed'],
  pilot: ['certification_pending', 'disabled', 'closed'],
  certification_pending: ['production', 'disabled', 'closed'],
  production: ['disabled', 'closed'],
  disabled: ['enabled', 'closed'],
  closed: [],
}

describe('moves of a connection', () => {
  it.each(Object.entries(allowed) as [ConnectionState, TransitionTarget[]][])(
    'from %s lead to %j only',
    (state, targets) => {
      const standing = at(state, state === 'disabled' ? { stateBeforeDisabled: 'pilot' } : {})
      expect(allowedTargets(standing)).toEqual(transitionTargets.filter((to) => targets.includes(to)))
    },
  )

  it('lead back to the previous state when enabled again', () => {
    const disabled = move(at('certification_pending'), 'disabled', 'Invoice overdue', now)!
    expect(disabled).toMatchObject({ state: 'disabled', disabledAt: now, publicReason: 'Invoice overdue' })
    expect(move(disabled, 'enabled', null, now)).toEqual(at('certification_pending'))
  })

  it('leave no trace of a disabling when a disabled connection is closed', () => {
    const disabled = move(at('pilot'), 'disabled', 'Invoice overdue', now)!
    expect(move(disabled, 'closed', null, now)).toEqual(at('closed'))
  })

  it('lead from certification back to pilot when the request for production is rejected, and from nowhere else', () => {
    expect(move(at('certification_pending'), 'back_to_pilot', null, now)).toEqual(at('pilot'))
    expect(move(at('production'), 'back_to_pilot', null, now)).toBeNull()
  })

  it('make the environment production permanently with the first arrival in that state', () => {
    const live = move(at('certification_pending'), 'production', null, now)!
    expect(live.environment).toBe('production')
    const back = move(move(live, 'disabled', null, now)!, 'enabled', null, now)
    expect(back).toEqual(at('production', { environment: 'production' }))
  })
})
