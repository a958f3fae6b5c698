import { hash } from 'node:crypto'
import { pathOf } from '@connectivity/contracts/request-target'
import { namedForLogs } from '../admission/assignment/named-connection.js'
import type { PartnerRequest } from '../http/requests/partner-request.js'
import { isAuthenticated, keyIdOf } from './logged-request.js'

const MINUTE = 60_000
const LOG_PATH = '/requests'
/** Longest plain key, characters: a path may have 16 KiB, and an entry of the unique index at most 2,704 bytes. */
const LONGEST_KEY = 256

/**
 * Equal polls that find nothing, equal reads of the log and equal failures of strangers are one entry per minute.
 * @returns the same text for requests of one entry; null for a request with an entry of its own
 */
export function foldKeyOf(partner: PartnerRequest, status: number): string | null {
  const parts = status < 400 ? readParts(partner) : failureParts(partner, status)
  if (parts === null) return null
  const { method, target, receivedAt, facts } = partner
  // A session of the portal has no key id; its link tells it from those of other applications.
  const sender = facts.caller?.keyId ?? keyIdOf(partner)
  const named = [sender, method, pathOf(target), namedForLogs(partner), status]
  const text = [Math.floor(receivedAt / MINUTE), ...named, ...parts].join('\n')
  return text.length > LONGEST_KEY ? hash('sha256', text, 'base64url') : text
}

const readParts = ({ facts, operation }: PartnerRequest): string[] | null =>
  facts.answer?.isEmpty || operation?.path === LOG_PATH ? [] : null

function failureParts(partner: PartnerRequest, status: number): unknown[] | null {
  if (isAuthenticated(partner, status)) return null
  const { details, code } = partner.http.record
  return [partner.address, code, details?.[0]?.code, details?.[0]?.hint]
}
