import { type DynamicModule, Module } from '@nestjs/common'
import type { VaultConfig } from './config.js'
import { ConfiguredKeyProvider, KEY_PROVIDER } from './key-provider.js'
import { SecretVault } from './secret-vault.js'

/** What a service seals its secrets with; a key management service takes the place of the configured keys here. */
@Module({})
export class VaultModule {
  static with(config: VaultConfig): DynamicModule {
    return {
      module: VaultModule,
      providers: [{ provide: KEY_PROVIDER, useValue: new ConfiguredKeyProvider(config) }, SecretVault],
      exports: [SecretVault],
    }
  }
}
