import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import {
  type OperatorChangeEntry,
  type OperatorChangeProof,
  operatorChangeText,
  type ReadOperatorChange,
} from '@connectivity/contracts/operator-changes'
import type { ServiceName } from '@connectivity/contracts/identity'

const mac = (key: KeyObject, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Proves to the gateway that a service made an entry: writing to the topic is not enough without one of the keys. */
export function proveOperatorChange(
  service: ServiceName,
  keys: readonly KeyObject[],
  entry: OperatorChangeEntry,
): OperatorChangeProof {
  const text = operatorChangeText(service, entry)
  return { service, proofs: keys.map((key) => mac(key, text).toString('base64url')) }
}

/** Whether one of the proofs was made over the entry's text with the key of the service that it names. */
export function isProven(key: KeyObject, { proof, text }: Pick<ReadOperatorChange, 'proof' | 'text'>): boolean {
  const expected = mac(key, text)
  return proof.proofs.some((one) => {
    const given = Buffer.from(one, 'base64url')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
