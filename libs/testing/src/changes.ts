import { get } from 'node:http'
import { CHANGES_PATH } from '@connectivity/contracts/waiting'

/** A reader of a service's stream of changes, with the lines received so far. */
export interface ChangeReader {
  /** Lines that are not empty. */
  readonly lines: string[]
  close: () => void
}

/**
 * Opens the stream of changes of a service, as the gateway does.
 * @param headers vouch for the gateway
 */
export function readChanges(url: string, headers: Record<string, string>): Promise<ChangeReader> {
  const lines: string[] = []
  return new Promise((resolve, reject) => {
    const request = get(url + CHANGES_PATH, { headers, agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`the stream was answered with ${response.statusCode}`))
      response.setEncoding('utf8').on('data', (text: string) => lines.push(...text.split('\n').filter(Boolean)))
      response.on('error', () => undefined)
      resolve({ lines, close: () => request.destroy() })
    })
    request.on('error', reject)
  })
}
