import type { ErrorCode } from '@connectivity/contracts/errors'
import type { Call, Example, Parameter } from './model.js'

/** Chapters of the description. */
export const tags = {
  Authentication: 'Your identity, access tokens, and this description itself.',
  Portal: 'Sessions of people in the portal; programs do not need them.',
  Properties: 'The property connections assigned to you.',
  Catalog: 'Rooms and rate plans, and your ids for them.',
  Reservations: 'The pull feed: new, modified and cancelled reservations of one property connection.',
  'Availability and rates': 'Availability, rates and restrictions, written all or nothing.',
  Events: 'The same changes as signed callbacks, their index and their acknowledgement.',
  Support: 'Your own requests of the last days, and what happened to a reservation.',
  Production: 'The pilot checklist and the request to go live.',
}
type Tag = keyof typeof tags

/** A successful answer. */
export interface Answer {
  status: 200 | 201 | 202 | 204
  description: string
  /** Name of its type in libs/contracts; null without a body. */
  type: string | null
  /** Headers beside those that every answer has. */
  headers?: readonly string[]
  /** Examples by name; the first is the usual case. */
  examples: Record<string, Example>
}

/** Texts and examples of a call that cannot be derived from the code. */
export interface CallText {
  operationId: string
  tag: Tag
  summary: string
  /** Markdown. */
  description: string
  /** Further parameters; `property_id`, path ids and headers follow from the operation. */
  parameters?: readonly Parameter[]
  /** Examples of the body, by name. */
  requests?: Record<string, Example>
  answers: readonly Answer[]
  /** Whether answers carry an ETag and If-None-Match is understood. */
  tagged?: boolean
  /** Requests to the partner that the call causes. */
  callbacks?: NonNullable<Call['callbacks']>
  /** Types that `callbacks` refers to. */
  sentTypes?: readonly string[]
  /** Error codes in addition to those that follow from the kind of call. */
  errors?: readonly ErrorCode[]
}

export const query = (name: string, description: string, schema: Parameter['schema'], example: unknown): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
  example,
})
