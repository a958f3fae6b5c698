import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { ConfiguredKeyProvider } from './key-provider.js'
import { newSecret, SecretVault } from './secret-vault.js'

const ring = new Map([
  ['k2', randomBytes(32)],
  ['k1', randomBytes(32)],
])
const vaultWith = (keys: ReadonlyMap<string, Buffer>) =>
  new SecretVault(new ConfiguredKeyProvider({ KEY_ENCRYPTION_KEYS: keys }))
const vault = vaultWith(ring)
const flipped = (bytes: Buffer, index: number) => {
  const copy = Buffer.from(bytes)
  copy[index]! ^= 1
  return copy
}

describe('sealed signing secrets', () => {
  it('open to the HMAC key of the secret that was shown', async () => {
    const secret = newSecret()
    const key = await vault.open(await vault.seal(secret, 'cred_1'), 'cred_1')
    expect(key.equals(createSecretKey(Buffer.from(secret, 'utf8')))).toBe(true)
    expect(createHmac('sha256', key).update('x').digest()).toEqual(createHmac('sha256', secret).update('x').digest())
  })

  it('may be bytes as well as text', async () => {
    const secret = randomBytes(32)
    const key = await vault.open(await vault.seal(secret, 'con_1'), 'con_1')
    expect(key.export()).toEqual(secret)
  })

  it('are sealed under the first key and never twice alike', async () => {
    const [a, b] = [await vault.seal('secret', 'cred_1'), await vault.seal('secret', 'cred_1')]
    expect(a.keyEncryptionKeyId).toBe('k2')
    expect(a.sealedSecret.includes('secret')).toBe(false)
    expect(a.sealedSecret.equals(b.sealedSecret)).toBe(false)
    expect(a.wrappedKey.equals(b.wrappedKey)).toBe(false)
  })

  it('sealed under an older key still open', async () => {
    const older = vaultWith(new Map([['k1', ring.get('k1')!]]))
    const key = await vault.open(await older.seal('secret', 'cred_1'), 'cred_1')
    expect(key.export()).toEqual(Buffer.from('secret'))
  })

  it('stored by earlier builds still open', async () => {
    const [key, secret] = [
      'ldP3tcFZSZqGM4KmgjM8Lkne_dM5YaG9DH7II0JnR7SD7MsfhM3xo8uiW-jo4-rE341kjyirKV_nBZJO',
      'fV8uZ0IjfB1A5SVX03rOYGpJmmGyFNRXMb_t9Rw4IUPVC9Eo',
    ]
    const then = vaultWith(new Map([['k1', Buffer.alloc(32, 7)]]))
    expect(await then.openText(`sealed:k1:${key}:${secret}`, 'con_1')).toBe('a secret')
  })

  it('do not open for another credential', async () => {
    const sealed = await vault.seal('secret', 'cred_1')
    await expect(vault.open(sealed, 'cred_2')).rejects.toThrow()
  })

  it('do not open without their key-encryption key', async () => {
    const sealed = await vault.seal('secret', 'cred_1')
    await expect(vaultWith(new Map([['k1', ring.get('k1')!]])).open(sealed, 'cred_1')).rejects.toThrow('k2')
    await expect(vaultWith(new Map([['k2', randomBytes(32)]])).open(sealed, 'cred_1')).rejects.toThrow()
  })

  it('do not open when any byte was altered', async () => {
    const sealed = await vault.seal('secret', 'cred_1')
    for (let index = 0; index < sealed.sealedSecret.length; index += 1) {
      const altered = { ...sealed, sealedSecret: flipped(sealed.sealedSecret, index) }
      await expect(vault.open(altered, 'cred_1')).rejects.toThrow()
    }
    for (let index = 0; index < sealed.wrappedKey.length; index += 1) {
      await expect(vault.open({ ...sealed, wrappedKey: flipped(sealed.wrappedKey, index) }, 'cred_1')).rejects.toThrow()
    }
  })

  it('do not open when truncated to a shorter tag', async () => {
    const sealed = await vault.seal('secret', 'cred_1')
    await expect(
      vault.open({ ...sealed, sealedSecret: sealed.sealedSecret.subarray(0, 20) }, 'cred_1'),
    ).rejects.toThrow()
  })

  it('are 256 random bits in characters that survive every encoding', () => {
    expect(newSecret()).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(newSecret()).not.toBe(newSecret())
  })
})
