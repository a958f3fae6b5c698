import createClient, { type Middleware } from 'openapi-fetch'
import type { components, paths } from './description.ts'

/** Types of the description by name. */
export type Schemas = components['schemas']

/** The operator's token, kept only here: never in storage, in an address or in a cookie. */
let token: string | null = null

/** Whether the gateway has refused this token. Late refusals of an earlier one do not count. */
let isRefused = false

/** Sets the token of all further requests; null signs out. */
export function setToken(given: string | null): void {
  token = given
  isRefused = false
}

/** Whether the gateway has refused the current token. */
export const isTokenRefused = (): boolean => isRefused

const REFUSED = 401

const authorize: Middleware = {
  onRequest({ request }) {
    if (token !== null) request.headers.set('authorization', `Bearer ${token}`)
    return request
  },
  onResponse({ request, response }) {
    if (response.status === REFUSED && request.headers.get('authorization') === `Bearer ${token}`) isRefused = true
  },
}

/** The operators' interface, as its OpenAPI document describes it. */
export const api = createClient<paths>({ baseUrl: '/ops/v1' })
api.use(authorize)

/** Parameters of a call whose path names one id. */
export const at = (id: string) => ({ params: { path: { id } } })
