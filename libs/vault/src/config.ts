import { as, type ConfigKeys, type ConfigOf } from '@connectivity/service-kit/config'

/** Configuration keys of a service that keeps secrets. */
export const vaultKeys = {
  KEY_ENCRYPTION_KEYS: {
    about: "Key-encryption keys of the service's secrets, id:<32 bytes in base64>, comma separated; the first seals.",
    read: as.keyRing,
    secret: true,
  },
} satisfies ConfigKeys

/** Values of the configuration keys. */
export type VaultConfig = ConfigOf<typeof vaultKeys>
