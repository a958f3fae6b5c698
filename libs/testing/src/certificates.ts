import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A certificate and its private key, both PEM. */
export interface Certificate {
  cert: string
  key: string
}

const openssl = (dir: string, ...args: string[]): void =>
  void execFileSync('openssl', args, { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] })

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** A certificate authority for one test. */
export class Authority {
  private readonly dir = mkdtempSync(join(tmpdir(), 'certificates-'))

  constructor() {
    openssl(
      this.dir,
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-days',
      '2',
      '-subj',
      '/CN=Test CA',
    )
  }

  /** The authority's certificate, PEM. */
  get certificate(): string {
    return this.read('ca.pem')
  }

  /**
   * @param names of the server, the first one is its common name
   * @param days validity; a negative number: days since it expired
   */
  issue(names: string | readonly [string, ...string[]], days = 2): Certificate {
    const all = typeof names === 'string' ? [names] : names
    const also = all.map((name) => `DNS:${name}`).join(',')
    const subject = ['-subj', `/CN=${all[0]}`, '-addext', `subjectAltName=${also}`]
    openssl(this.dir, 'req', ...newKey, '-keyout', 'leaf.key', '-out', 'leaf.csr', ...subject)
    openssl(
      this.dir,
      ...['x509', '-req', '-in', 'leaf.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-copy_extensions', 'copy'],
      ...['-days', String(days), '-out', 'leaf.pem'],
    )
    return { cert: this.read('leaf.pem'), key: this.read('leaf.key') }
  }

  /** Makes a certificate that this authority has not signed. */
  selfSigned(name: string): Certificate {
    const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
    openssl(this.dir, 'req', '-x509', ...newKey, '-keyout', 'self.key', '-out', 'self.pem', '-days', '2', ...subject)
    return { cert: this.read('self.pem'), key: this.read('self.key') }
  }

  /** Deletes the files of the authority. */
  remove(): void {
    rmSync(this.dir, { recursive: true })
  }

  private read(file: string): string {
    return readFileSync(join(this.dir, file), 'utf8')
  }
}
