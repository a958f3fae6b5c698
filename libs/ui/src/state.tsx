import classes from './state.module.css'

/** Colours of states; the word of a state says the same. */
export type Tone = 'good' | 'warn' | 'bad' | 'plain'

const TONES: Readonly<Record<string, Tone>> = {
  ...{ production: 'good', approved: 'good', active: 'good', delivered: 'good', passed: 'good', processed: 'good' },
  ...{ pilot: 'plain', sandbox: 'plain', submitted: 'plain', superseded: 'plain', not_configured: 'plain' },
  ...{
    certification_pending: 'warn',
    provisioning: 'warn',
    pending: 'warn',
    held: 'warn',
    open: 'warn',
    deferred: 'warn',
  },
  ...{ disabled: 'bad', closed: 'bad', suspended: 'bad', suspended_by_operator: 'bad', failed: 'bad', rejected: 'bad' },
}

/** A code of the interface in words: `not_configured` becomes `not configured`. */
export const wordsOf = (code: string): string => code.replaceAll('_', ' ')

/** The same with a capital letter. */
export const titleOf = (code: string): string => code.charAt(0).toUpperCase() + wordsOf(code).slice(1)

/** A state or code of the interface as a coloured word. */
export const State = ({ code, tone = TONES[code] ?? 'plain' }: { code: string; tone?: Tone | undefined }) => (
  <span className={classes.state} data-tone={tone}>
    {wordsOf(code)}
  </span>
)
