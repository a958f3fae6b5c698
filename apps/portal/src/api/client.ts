import createClient from 'openapi-fetch'
import type { components, paths } from './description.ts'

const baseUrl = '/api/connectivity/v1'

/** The partner interface, as its OpenAPI document describes it. */
export const api = createClient<paths>({ baseUrl })

/** Types of the description by name. */
export type Schemas = components['schemas']
