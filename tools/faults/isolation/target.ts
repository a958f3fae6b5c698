// Target of the attackers, passed to their process as JSON.
import type { SigningKey } from '@connectivity/toolkit/partner'

/** A partner's connection and the credential that was issued for it. */
export interface Partner {
  connection: string
  signing: SigningKey
}

export interface Target {
  /** Ports of the gateway's processes on 127.0.0.1; attackers bypass the load balancer. */
  gateways: number[]
  /** The attacker's own connections, each of another application, all to the hotel of the healthy partner. */
  partners: Partner[]
}

/** Rooms of the hotel; `HOTEL_ROOMS[0]` is written by the healthy partner only. */
export const HOTEL_ROOMS = Array.from({ length: 30 }, (_, number) => `rm_${number}`)
