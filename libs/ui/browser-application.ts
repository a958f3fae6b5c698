import react from '@vitejs/plugin-react'
import type { UserConfig } from 'vite'
import { compression } from 'vite-plugin-compression2'

/** Replaced by the gateway with a new nonce in every answer. */
const NONCE = '__CSP_NONCE__'
/** Files below this size are not compressed, bytes. */
const COMPRESSED_FROM = 1024

/**
 * How Vite builds a browser application: fingerprinted files beside their compressed forms, nothing inline.
 * @param base path under which it is served, such as `/portal`
 */
export const browserApplication = (base: string): UserConfig => ({
  base: `${base}/`,
  plugins: [
    react(),
    compression({
      algorithms: ['brotliCompress', 'gzip'],
      exclude: [/\.html$/],
      threshold: COMPRESSED_FROM,
      logLevel: 'silent',
    }),
  ],
  html: { cspNonce: NONCE },
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false }, reportCompressedSize: false },
})
