/** A system under load, as its users see it. */
export interface System {
  /** URL of the partner interface, without its base path. */
  baseUrl: string
  brokers: string[]
  /** The operators' interface and a token for it. */
  ops: { baseUrl: string; token: string }
  /** Address of this machine at which the services reach receivers of callbacks. */
  callbackAddress: string
  /** Resolves when every process of every service is ready. */
  untilAllReady: () => Promise<void>
  /**
   * Changes that only the last look of a waiting request found, since each process of the gateway started, by its name.
   * Absent where metrics cannot be read.
   */
  lostWakeUps?: () => Promise<ReadonlyMap<string, number>>
}
