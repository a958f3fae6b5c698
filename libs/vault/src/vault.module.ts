import { type DynamicModule, Module } from '@nestjs/common'
import type { VaultConfig } from './config.js'
import { ConfiguredKeyProvider, KEY_PROVIDER } from './key-provider.js'
import { SecretVault } from './secret-vault.js'

/** Provides the vault that seals a service's secrets. A key management service would replace the configured keys. */
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
