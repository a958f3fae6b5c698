const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' })
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

/** The age of a time, such as `3 min. ago`; below a minute `just now`. */
function ageOf(time: Date): string {
  const seconds = (time.getTime() - Date.now()) / 1_000
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 0]
  return size === 0 ? 'just now' : relative.format(Math.round(seconds / size), unit as Intl.RelativeTimeFormatUnit)
}

/**
 * A time in the viewer's zone, with UTC on hover.
 * @param at as the interface writes it
 * @param isRelative shows how long ago it was
 */
export function Time({ at, isRelative = false }: { at: string; isRelative?: boolean }) {
  const time = new Date(at)
  const utc = `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`
  return (
    <time dateTime={at} title={utc}>
      {isRelative ? ageOf(time) : exact.format(time)}
    </time>
  )
}

/** The same for a time that may be missing. */
export const TimeOr = ({
  at,
  none,
  isRelative = false,
}: {
  at: string | null | undefined
  none: string
  isRelative?: boolean
}) => (at ? <Time at={at} isRelative={isRelative} /> : <>{none}</>)
