import { get } from 'node:http'
import { IDENTITY_HEADER } from '@connectivity/contracts/identity'
import { CHANGES_PATH } from '@connectivity/contracts/waiting'

/** A reader of a service's stream of changes, with the lines received so far. */
export interface ChangeReader {
  /** Lines that are not empty. */
  readonly lines: string[]
  close: () => void
}

/** Opens the stream of changes of a service, as the gateway does. */
export function readChanges(url: string, identity: string): Promise<ChangeReader> {
  const lines: string[] = []
  return new Promise((resolve, reject) => {
    const request = get(url + CHANGES_PATH, { headers: { [IDENTITY_HEADER]: identity }, agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`the stream was answered with ${response.statusCode}`))
      response.setEncoding('utf8').on('data', (text: string) => lines.push(...text.split('\n').filter(Boolean)))
      response.on('error', () => undefined)
      resolve({ lines, close: () => request.destroy() })
    })
    request.on('error', reject)
  })
}
