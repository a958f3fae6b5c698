import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { createSecureContext, type Server as TlsServer } from 'node:tls'
import { BackgroundLoop } from '../work/background-loop.js'
import { as, type ConfigKey } from '../config/config.js'
import type { Logger } from '../logging/logging.js'

/** Interval of the check for renewed files, ms; Kubernetes delivers them to a pod within a minute or two. */
const CHECK_EVERY = 60_000

/** Longest TLS handshake, ms: as long as a client may take for the head of a request. */
const HANDSHAKE_LIMIT = 10_000

/** Certificate chain and private key of a listener, PEM, and the limit of its handshakes, ms. */
export interface ListenerTls {
  cert: string
  key: string
  handshakeTimeout: number
}

/**
 * A configuration key that names the folder of a listener's certificate and key, as Kubernetes mounts a Secret of type
 * kubernetes.io/tls.
 */
export const tlsFolderKey = <const K extends string>(name: K, listener: string) =>
  ({
    about: `Folder with tls.crt and tls.key (PEM), with which ${listener} speaks HTTPS; renewed files are taken within a minute. Empty: plain HTTP.`,
    read: as.anything,
    fallback: '',
    caution: (config: { readonly [name in K]: string }) =>
      config[name] === '' ? [`${listener} is not protected by TLS: set ${name}`] : [],
  }) satisfies ConfigKey<string>

/**
 * Reads the folder's certificate and key.
 * @throws Error when one is missing or not PEM, or when they do not belong together
 */
export function readTls(folder: string): ListenerTls {
  try {
    const [cert, key] = ['tls.crt', 'tls.key'].map((name) => readFileSync(join(folder, name), 'utf8'))
    const tls = { cert: cert!, key: key!, handshakeTimeout: HANDSHAKE_LIMIT }
    createSecureContext(tls)
    return tls
  } catch (error) {
    throw new Error(`tls.crt and tls.key in ${folder} cannot be used: ${(error as Error).message}`, { cause: error })
  }
}

/**
 * Makes an HTTPS server use renewed files of the folder for new connections. Until both are valid, it keeps the old
 * ones. Stops when the server closes.
 */
export function followTls(server: Server, folder: string, log: Logger, every = CHECK_EVERY): void {
  let { cert } = readTls(folder)
  const check = async (): Promise<void> => {
    try {
      const renewed = readTls(folder)
      if (renewed.cert === cert) return
      ;(server as Server & TlsServer).setSecureContext(renewed)
      cert = renewed.cert
      log.info({ folder }, 'certificate renewed')
    } catch (err) {
      log.warn({ err, folder }, 'certificate not renewed, keeping the one in use')
    }
  }
  const loop = BackgroundLoop.every(every, check)
  loop.start(every)
  server.once('close', () => void loop.stop())
}
