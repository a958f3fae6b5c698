import { X509Certificate } from 'node:crypto'
import { Gauge } from 'prom-client'

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** When the last certificate in a text ends, seconds since 1970; null without one, or if one is damaged. */
function endOf(text: string): number | null {
  try {
    const ends = (text.match(BLOCK) ?? []).map((block) => new X509Certificate(block).validToDate.getTime())
    return ends.length > 0 ? Math.max(...ends) / 1_000 : null
  } catch {
    return null
  }
}

/** The certificates (PEM) that new connections trust. They follow their file: authorities are renewed. */
export class Authorities {
  /**
   * TLS options, to be passed on by reference: a copy would keep `ca`, which libraries read for every new connection.
   * Null: the authorities that Node.js knows.
   */
  readonly tls: { readonly ca: string } | null

  /** @param read reads the text again */
  constructor(
    private text: string,
    private readonly read: () => string = () => text,
  ) {
    const current = (): string => this.current()
    this.tls =
      text === ''
        ? null
        : {
            get ca() {
              return current()
            },
          }
  }

  /** When the last of the certificates ends, seconds since 1970; null if that is unknown. */
  end(): number | null {
    return this.tls && endOf(this.tls.ca)
  }

  /** The text in force: of the file, or its last good one while it is missing or damaged. */
  private current(): string {
    try {
      const renewed = this.read()
      if (renewed !== this.text && endOf(renewed) !== null) this.text = renewed
    } catch {
      // The alert on `connectivity_trusted_authority_end_seconds` fires in time.
    }
    return this.text
  }
}

const ends = new Gauge({
  name: 'connectivity_trusted_authority_end_seconds',
  help: 'When the last trusted certificate of a configuration key ends, seconds since 1970.',
  labelNames: ['key'] as const,
  collect: () => note(),
})

let note = (): void => undefined

/** Shows when the authorities of a service's configuration end, by key, whenever the metrics are read. */
export function noteAuthorities(config: object): void {
  const all = Object.entries(config).filter((entry): entry is [string, Authorities] => entry[1] instanceof Authorities)
  note = () => {
    for (const [key, authorities] of all) {
      const end = authorities.end()
      if (end !== null) ends.set({ key }, end)
    }
  }
}
