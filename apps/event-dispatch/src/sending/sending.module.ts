import { Module } from '@nestjs/common'
import { AddressRules } from '../address-rules.js'
import { DISPATCH_CONFIG, type EventDispatchConfig } from '../config.js'
import { CallbackSecrets } from './callback-secrets.service.js'
import type { TargetRules } from './callback-target.js'
import { dnsResolver } from './host-addresses.js'
import { HttpSender, RESOLVE, TARGET_RULES } from './http-sender.client.js'
import { SENDER } from './sender.js'

const targetRules = ({ CALLBACK_ALLOW, CALLBACK_PORTS }: EventDispatchConfig): TargetRules => ({
  addresses: new AddressRules(CALLBACK_ALLOW),
  ports: CALLBACK_PORTS,
  testMode: CALLBACK_ALLOW.length > 0,
})

/** The way out to partners: `SENDER` to send, `TARGET_RULES` to judge a URL beforehand, the secrets to sign with. */
@Module({
  providers: [
    CallbackSecrets,
    { provide: TARGET_RULES, useFactory: targetRules, inject: [DISPATCH_CONFIG] },
    { provide: RESOLVE, useFactory: dnsResolver },
    { provide: SENDER, useClass: HttpSender },
  ],
  exports: [SENDER, TARGET_RULES, CallbackSecrets],
})
export class SendingModule {}
