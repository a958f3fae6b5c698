/** Encodings in the order of preference, with the suffixes of their files. */
const suffixes = { br: '.br', gzip: '.gz' } as const

/** A content encoding of compressed forms. */
export type Encoding = keyof typeof suffixes

const encodings = Object.keys(suffixes) as Encoding[]

/** Compressed forms of a file; absent where compression does not make it smaller. */
export type CompressedForms = Partial<Record<Encoding, Buffer>>

/**
 * The compressed forms of a file, each a file beside it.
 * @param read returns the form with this suffix; undefined where there is none
 */
export const compressedForms = (read: (suffix: string) => Buffer | undefined): CompressedForms =>
  Object.fromEntries(
    encodings.flatMap((encoding) => {
      const form = read(suffixes[encoding])
      return form ? [[encoding, form]] : []
    }),
  )

/** Name of the file that a compressed form belongs to; null for the name of any other file. */
export function originalOf(name: string): string | null {
  const suffix = Object.values(suffixes).find((one) => name.endsWith(one))
  return suffix === undefined ? null : name.slice(0, -suffix.length)
}

/** The best encoding that the client takes and the file has. @param accepted the header `Accept-Encoding` */
export function encodingFor(accepted: string | string[] | undefined, forms: CompressedForms): Encoding | null {
  const taken = acceptedEncodings(accepted)
  return encodings.find((encoding) => forms[encoding] !== undefined && taken.has(encoding)) ?? null
}

/** Encodings that a client takes; `q=0` refuses one. */
function acceptedEncodings(header: string | string[] | undefined): ReadonlySet<string> {
  const items = String(header ?? '').split(',')
  return new Set(
    items.flatMap((item) => {
      const [name = '', ...parameters] = item
        .toLowerCase()
        .split(';')
        .map((part) => part.trim())
      return parameters.some((one) => /^q=0(\.0*)?$/.test(one)) ? [] : [name]
    }),
  )
}
