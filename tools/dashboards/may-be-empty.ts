// Panels without series on a healthy stack, with the reasons.

const NO_FAULT = 'counts failures, and there were none'
const NO_OPERATOR = 'CloudNativePG exports it, and no operator runs here'

/** Reasons by the title of the panel. */
export const mayBeEmpty: Readonly<Record<string, string>> = {
  'Batches that failed and were tried again': NO_FAULT,
  'Open dead letters': NO_FAULT,
  'Parked: will not be published': NO_FAULT,
  'No proper answer from a service': NO_FAULT,
  'PostgreSQL: connections': NO_OPERATOR,
  'PostgreSQL: standbys behind': NO_OPERATOR,
  'PostgreSQL: size': NO_OPERATOR,
}
