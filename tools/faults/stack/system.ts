/** A system under load, as its users see it. */
export interface System {
  /** Of the partner interface, without its base path. */
  baseUrl: string
  brokers: string[]
  /** The operators' interface and a token for it. */
  ops: { baseUrl: string; token: string }
  /** Address of this machine at which the services reach receivers of callbacks. */
  callbackAddress: string
  /** Resolves when every process of every service is ready. */
  untilAllReady: () => Promise<void>
}
