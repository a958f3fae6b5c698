import { useCopy } from './copy.ts'
import classes from './copyable.module.css'

/** An id with a button that copies it. */
export function Copyable({ text }: { text: string }) {
  const { source, copy, message } = useCopy<HTMLElement>(text)
  return (
    <span className={classes.copyable}>
      <code className={classes.text} ref={source}>
        {text}
      </code>
      <button type="button" className={classes.button} aria-label={`Copy ${text}`} onClick={() => void copy()}>
        Copy
      </button>
      <span role="status" className={classes.message}>
        {message}
      </span>
    </span>
  )
}
