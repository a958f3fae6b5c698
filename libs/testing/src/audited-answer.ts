import { AUDIT_ENTRY_BYTES_HEADER } from '@connectivity/contracts/identity'
import { type AuditEntry, parseOperatorChange } from '@connectivity/contracts/operator-changes'

/** Reads a service's answer as the gateway does: its body, and the audit entry that may stand before it. */
export async function readAuditedAnswer(response: Response): Promise<{ text: string; entry: AuditEntry | null }> {
  const bytes = Number(response.headers.get(AUDIT_ENTRY_BYTES_HEADER) ?? 0)
  const whole = Buffer.from(await response.arrayBuffer())
  const text = whole.subarray(bytes).toString()
  return { text, entry: bytes === 0 ? null : parseOperatorChange(whole.subarray(0, bytes)).entry }
}
