import { randomBytes } from 'node:crypto'

/** A new cluster's id: 16 bytes in base64url, as Kafka requires. It must not look like a command-line option. */
export function newClusterId(): string {
  const id = randomBytes(16).toString('base64url')
  return id.startsWith('-') ? newClusterId() : id
}
