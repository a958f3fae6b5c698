import { Inject, Injectable } from '@nestjs/common'
import { ContractViolation } from '@connectivity/contracts/contract-violation'
import {
  serviceActions,
  type AuditEntry,
  type OperatorChangeProof,
  parseOperatorChange,
} from '@connectivity/contracts/operator-changes'
import type { ServiceName } from '@connectivity/contracts/identity'
import { operations } from '@connectivity/contracts/partner-api'
import { isProven } from '@connectivity/service-kit/identity'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'
import { auditEntriesRefused } from './audit-metrics.js'
import { AuditStore } from './audit.store.js'

/**
 * Audit entries of operators' changes in other services. Each must carry a proof by the service that it names, and its
 * action must be one of that service's: any writer to the topic could invent entries.
 */
@Injectable()
export class AuditEntries {
  constructor(
    private readonly audit: AuditStore,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /**
   * @param message as the service published it
   * @throws ContractViolation for an entry that the named service did not make or may not make
   */
  read(message: Uint8Array): AuditEntry {
    const change = parseOperatorChange(message)
    const { entry, proof } = change
    if (!mayRecord(proof.service, entry)) throw new ContractViolation('/data/action', notOf(entry, proof))
    if (isProven(this.config.IDENTITY_KEYS[proof.service], change)) return entry
    throw new ContractViolation('/data/proofs', `must hold a proof with the identity key of ${proof.service}`)
  }

  /**
   * Stores the entry that came with a service's answer. The same entry comes over Kafka, in case this process dies
   * first.
   * @throws as `read`, or the database's error
   */
  async keep(message: Uint8Array): Promise<void> {
    try {
      await this.audit.keepNow(this.read(message))
    } catch (error) {
      if (error instanceof ContractViolation) auditEntriesRefused.inc()
      throw error
    }
  }
}

/** Whether an operator's action is one of the service's, or a person's action one of the calls that it owns. */
function mayRecord(service: ServiceName, { action, reason }: AuditEntry): boolean {
  if (reason === null)
    return operations.some(({ owner, method, path }) => owner === service && `${method} ${path}` === action)
  const actions: readonly string[] = serviceActions[service]
  return actions.includes(action)
}

const notOf = ({ action }: AuditEntry, { service }: OperatorChangeProof): string =>
  `must be an action of ${service}, which ${JSON.stringify(action.slice(0, 64))} is not`
