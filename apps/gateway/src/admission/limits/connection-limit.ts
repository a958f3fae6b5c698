import { Injectable, type OnModuleInit } from '@nestjs/common'
import { KnownAddresses } from '../../http/known-addresses.js'
import { PublicListener } from '../../http/public-listener.js'
import { FailedAuthentications } from './failed-authentications.js'

/**
 * Lets an address over its limit of failed authentications open few connections: its next failure would cost one each.
 * One from which a valid credential came lately is not limited.
 */
@Injectable()
export class ConnectionLimit implements OnModuleInit {
  constructor(
    private readonly listener: PublicListener,
    private readonly known: KnownAddresses,
    private readonly failures: FailedAuthentications,
  ) {}

  onModuleInit(): void {
    this.listener.mayConnect = (address) => this.known.has(address) || this.failures.mayConnect(address)
  }
}
