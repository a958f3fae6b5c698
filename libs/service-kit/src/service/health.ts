import { Injectable } from '@nestjs/common'

/** @returns null when healthy, else one short phrase that names the problem */
export type HealthCheck = () => string | null

/** Answers the probes of this process. Parts of the service register checks; shutdown turns readiness red first. */
@Injectable()
export class Health {
  private readonly readiness = new Map<string, HealthCheck>()
  private readonly liveness = new Map<string, HealthCheck>()
  private started = false
  private stopping = false
  private readonly stopListeners: (() => void)[] = []

  /** The service takes no traffic while the check reports a problem. */
  addReadiness(name: string, check: HealthCheck): void {
    this.readiness.set(name, check)
  }

  /** The process is restarted when the check keeps reporting a problem. */
  addLiveness(name: string, check: HealthCheck): void {
    this.liveness.set(name, check)
  }

  /** Lets readiness turn green once the checks pass. */
  markStarted(): void {
    this.started = true
  }

  /** Calls the listener when the process begins to stop, before it drains its requests. */
  onStopping(listener: () => void): void {
    this.stopListeners.push(listener)
  }

  get isStopping(): boolean {
    return this.stopping
  }

  /** Turns readiness red for good, even if a start is still running. */
  markStopping(): void {
    this.stopping = true
    for (const listener of this.stopListeners) listener()
  }

  /** @returns problems by the name of their check; the service takes traffic while there are none */
  ready(): Record<string, string> {
    return this.started && !this.stopping
      ? troubles(this.readiness)
      : { service: 'starting or stopping', ...troubles(this.readiness) }
  }

  /** @returns problems by the name of their check; the platform restarts the process while there are some */
  live(): Record<string, string> {
    return troubles(this.liveness)
  }
}

function troubles(checks: ReadonlyMap<string, HealthCheck>): Record<string, string> {
  const found = [...checks].map(([name, check]) => [name, check()] as const)
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== null))
}
