/** A number; null when no service reports it. */
export const count = (value: number | null): string => value?.toLocaleString('en') ?? 'unknown'

/** Text of bytes; null unless they are UTF-8 without control characters other than tab and line ends. */
export function messageText(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return /(?![\t\n\r])\p{Cc}/u.test(text) ? null : text
  } catch {
    return null
  }
}

/** The ids of a text with one id per line. Ids are verbatim: spaces and commas are part of them. */
export const reservationIdsOf = (text: string): string[] => text.split(/\r?\n/).filter((id) => id !== '')

/** Pattern of a whole number, with or without commas between the thousands. */
export const WHOLE_NUMBER = String.raw`\s*(\d+|\d{1,3}(,\d{3})+)\s*`

const whole = new RegExp(`^${WHOLE_NUMBER}$`)

/** Whether a text is a whole number, such as `1200` or `1,200`. */
export const isWholeNumber = (text: string): boolean => whole.test(text)

/** The number that a whole number's text means. */
export const wholeNumberOf = (text: string): number => Number(text.replaceAll(',', ''))
