import type { KeyObject } from 'node:crypto'
import {
  type AuditEntry,
  type OperatorChangeProof,
  operatorChangeText,
  type ReadOperatorChange,
} from '@connectivity/contracts/operator-changes'
import type { ServiceName } from '@connectivity/contracts/identity'
import { hmacSha256, isSameDigest } from '@connectivity/signing'

/** Proves to the gateway that a service made an entry: writing to the topic is not enough without one of the keys. */
export function proveOperatorChange(
  service: ServiceName,
  keys: readonly KeyObject[],
  entry: AuditEntry,
): OperatorChangeProof {
  const text = operatorChangeText(service, entry)
  return { service, proofs: keys.map((key) => hmacSha256(key, text, 'base64url')) }
}

/** Whether one of the proofs was made over the entry's text with the key of the service that it names. */
export function isProven(key: KeyObject, { proof, text }: Pick<ReadOperatorChange, 'proof' | 'text'>): boolean {
  const expected = hmacSha256(key, text, 'base64url')
  return proof.proofs.some((given) => isSameDigest(given, expected))
}
