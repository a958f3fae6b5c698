import { CallbackDiagnosis, CallbackWrite, NoFields, RotateCallbackSecret } from './callbacks.js'
import { mutationRules } from './mutation-rules.js'
import type { Operation } from './operation.js'

/** Deadline of calls that ask a callback, ms: 15 s for the callback, and some time before and after. */
const CALLBACK_DEADLINE = 20_000

/** The calls about callbacks, a part of `operations`. */
export const callbackOperations: readonly Operation[] = [
  {
    method: 'PUT',
    path: '/properties/{id}/callback',
    owner: 'event-dispatch',
    scope: 'callbacks:manage',
    property: 'path',
    body: CallbackWrite,
    rule: mutationRules.callback,
    headDeadline: CALLBACK_DEADLINE,
  },
  {
    method: 'GET',
    path: '/properties/{id}/callback',
    owner: 'event-dispatch',
    scope: 'callbacks:manage',
    property: 'path',
    body: null,
  },
  {
    method: 'DELETE',
    path: '/properties/{id}/callback',
    owner: 'event-dispatch',
    scope: 'callbacks:manage',
    property: 'path',
    body: null,
  },
  {
    method: 'POST',
    path: '/properties/{id}/callback/test',
    owner: 'event-dispatch',
    scope: 'callbacks:manage',
    property: 'path',
    body: NoFields,
    headDeadline: CALLBACK_DEADLINE,
  },
  {
    method: 'POST',
    path: '/properties/{id}/callback/diagnose',
    owner: 'event-dispatch',
    scope: 'callbacks:manage',
    property: 'path',
    body: CallbackDiagnosis,
    rule: mutationRules.diagnosis,
    largeBody: true,
  },
  {
    method: 'POST',
    path: '/properties/{id}/callback/rotate-secret',
    owner: 'event-dispatch',
    scope: 'callbacks:manage',
    property: 'path',
    body: RotateCallbackSecret,
  },
  {
    method: 'POST',
    path: '/properties/{id}/callback/resume',
    owner: 'event-dispatch',
    scope: 'callbacks:manage',
    property: 'path',
    body: NoFields,
  },
]
