import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DemoConnection, HandOver } from '@connectivity/toolkit/hand-over'
import { OperatorsApi } from '@connectivity/toolkit/operators-api'
import { StackProcess } from '@connectivity/toolkit/stack-process'
import { freePort } from './free-port.js'

/** Ports of the stack; the defaults would collide with a stack that starts at the same moment. */
const PORTS = [
  'GATEWAY_PUBLIC_PORT',
  'GATEWAY_PRIVATE_PORT',
  'CATALOG_PORT',
  'RESERVATION_FEED_PORT',
  'ARI_PORT',
  'EVENT_DISPATCH_PORT',
  'POSTGRES_PORT',
  'REDIS_PORT',
  'KAFKA_PORT',
]

async function freePorts(): Promise<Record<string, string>> {
  const ports: Record<string, string> = {}
  for (const key of PORTS) ports[key] = String(await freePort())
  return ports
}

/** The whole system for a suite, and what partners, operators and the booking engine do with it. */
export class WholeStack {
  private constructor(private readonly process: StackProcess) {}

  /**
   * Starts a stack and waits until it serves the demo bookings.
   * @param more environment of the launcher and all that it starts
   * @throws Error with the end of the launcher's output when the stack does not start; nothing is left then
   */
  static async start(more: Record<string, string> = {}): Promise<WholeStack> {
    const stack = new WholeStack(new StackProcess({ SERVICES_BUILT: 'true', ...(await freePorts()), ...more }))
    try {
      await stack.process.untilReady()
    } catch (error) {
      await stack.stop()
      throw error
    }
    return stack
  }

  get demo(): HandOver {
    return this.process.demo
  }

  get connection(): DemoConnection {
    return this.connectionOf(0)
  }

  /** Connection of the other demo application, to another property. */
  get otherConnection(): DemoConnection {
    return this.connectionOf(1)
  }

  /** Environment of a partner's programs. */
  get partnerEnvironment(): Record<string, string> {
    const { property_id, signing, oauth } = this.connection
    return {
      PATH: process.env.PATH ?? '',
      HOME: this.process.folder,
      BASE_URL: this.demo.base_url,
      PROPERTY_ID: property_id,
      KEY_ID: signing.key_id,
      SIGNING_SECRET: signing.signing_secret,
      CLIENT_ID: oauth.client_id,
      CLIENT_SECRET: oauth.client_secret,
    }
  }

  /** The operators' interface, with the token that may make changes. */
  get operators(): OperatorsApi {
    const { base_url, token } = this.demo.ops
    return new OperatorsApi(base_url, token, 'test of the whole stack')
  }

  /** Lifts the rate limits of the demo application that `connection` belongs to. */
  liftLimits(): Promise<void> {
    return this.operators.liftLimits(this.demo.applications[0]!.application_id)
  }

  /** Path of a file for programs of a test; it is removed with the stack. */
  file(name: string): string {
    return join(this.process.folder, name)
  }

  /** Log of a service. */
  log(service: string): string {
    return readFileSync(join(this.process.logs, `${service}.log`), 'utf8')
  }

  /** Confirms one more booking of the first property as the booking engine would, or changes or cancels one. */
  async book(...change: ('--modify' | '--cancel')[]): Promise<void> {
    await this.process.run('deploy/local/demo-book.ts', ...change)
  }

  /** Ends every process and removes every file of the stack. */
  stop(): Promise<void> {
    return this.process.end()
  }

  private connectionOf(application: number): DemoConnection {
    return this.demo.applications[application]!.connections[0]!
  }
}
