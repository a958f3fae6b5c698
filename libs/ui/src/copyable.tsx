import { CopyButton } from '@mantine/core'
import classes from './copyable.module.css'

/** An id with a button that copies it. */
export function Copyable({ text }: { text: string }) {
  return (
    <span className={classes.copyable}>
      <code className={classes.text}>{text}</code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <button type="button" className={classes.button} aria-label={`Copy ${text}`} onClick={copy}>
            {copied ? 'Copied' : 'Copy'}
          </button>
        )}
      </CopyButton>
    </span>
  )
}
