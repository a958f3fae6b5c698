import { type DynamicModule, Module } from '@nestjs/common'
import type { EventDispatchConfig } from '../config.js'
import { AddressRules } from './address-rules.js'
import type { TargetRules } from './callback-target.js'
import { dnsResolver } from './host-addresses.js'
import { HttpSender, RESOLVE, TARGET_RULES } from './http-sender.client.js'
import { SENDER } from './sender.js'

/** The way out to partners: `SENDER` to send, `TARGET_RULES` to judge a URL beforehand. */
@Module({})
export class SendingModule {
  static with({ CALLBACK_ALLOW, CALLBACK_PORTS }: EventDispatchConfig): DynamicModule {
    const rules: TargetRules = {
      addresses: new AddressRules(CALLBACK_ALLOW),
      ports: CALLBACK_PORTS,
      testMode: CALLBACK_ALLOW.length > 0,
    }
    return {
      module: SendingModule,
      providers: [
        { provide: TARGET_RULES, useValue: rules },
        { provide: RESOLVE, useFactory: dnsResolver },
        { provide: SENDER, useClass: HttpSender },
      ],
      exports: [SENDER, TARGET_RULES],
    }
  }
}
