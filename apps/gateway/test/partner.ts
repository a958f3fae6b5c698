import http from 'node:http'
import { connect } from 'node:net'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import type { ErrorBody } from '@connectivity/contracts/errors'
import { bodyHash, signRequest } from '@connectivity/signing'

export interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
  json: Record<string, unknown> & Partial<ErrorBody>
}

export interface Call {
  method?: string
  headers?: http.OutgoingHttpHeaders | readonly string[]
  body?: string | Buffer
}

const parsed = (text: string): Answer['json'] => (text.startsWith('{') ? (JSON.parse(text) as Answer['json']) : {})

/** Sends exactly the given target, without a client that would normalise it. */
export function call(
  origin: string,
  target: string,
  { method = 'GET', headers: given, body }: Call = {},
): Promise<Answer> {
  const { hostname, port } = new URL(origin)
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }
  const headers = Array.isArray(given) ? (given as readonly string[]) : { ...length, ...(given as object) }
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, method, path: target, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: response.statusCode!, headers: response.headers, text, json: parsed(text) })
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}

/** Sends bytes and returns everything received until the server closes the connection. */
export function raw(origin: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.on('data', (chunk) => (text += chunk.toString('latin1')))
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
}

export interface SigningKey {
  key_id: string
  signing_secret: string
}

export interface Signed extends Call {
  timestamp?: number
  /** The signed path, if it differs from the sent one. */
  signedPath?: string
}

export const now = (): number => Math.floor(Date.now() / 1000)

/** The three signature headers. */
export function signatureHeaders(key: SigningKey, target: string, options: Signed = {}): Record<string, string> {
  const timestamp = String(options.timestamp ?? now())
  const signature = signRequest(key.signing_secret, {
    method: options.method ?? 'GET',
    path: options.signedPath ?? target.split('?', 1)[0]!,
    timestamp,
    bodyHash: bodyHash(Buffer.from(options.body ?? '')),
  })
  return { 'X-Service-Key-Id': key.key_id, 'X-Service-Timestamp': timestamp, 'X-Service-Signature': signature }
}

/** A partner's software with its signing key; paths are below the base path unless stated otherwise. */
export class Partner {
  constructor(
    private readonly origin: string,
    readonly key: SigningKey,
  ) {}

  get(path: string, options: Signed = {}): Promise<Answer> {
    return this.send(BASE_PATH + path, options)
  }

  /** Signs and sends the target unchanged. */
  send(target: string, options: Signed = {}): Promise<Answer> {
    const headers = { ...signatureHeaders(this.key, target, options), ...options.headers }
    return call(this.origin, target, { ...options, headers })
  }
}

/** The answer of a refusal, for `toMatchObject`. */
export const refused = (status: number, code: string, detail?: object) => ({
  status,
  json: {
    schema_version: '1.0.0',
    error: {
      code,
      message: expect.stringMatching(/^.{10,}$/),
      correlation_id: expect.stringMatching(/^[A-Za-z0-9._-]{8,64}$/),
      ...(detail ? { details: expect.arrayContaining([expect.objectContaining(detail)]) } : {}),
    },
  },
})
