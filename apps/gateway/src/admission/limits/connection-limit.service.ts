import { Injectable, type OnModuleInit } from '@nestjs/common'
import { KnownAddresses } from '../../http/requests/known-addresses.service.js'
import { PublicListener } from '../../http/listeners/public-listener.service.js'
import { FailedAuthentications } from './failed-authentications.service.js'

/**
 * Restricts new connections of an address over its limit of failed authentications. Each further failure closes the
 * connection that it came on.
 * An address that recently sent a valid credential is not restricted.
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
