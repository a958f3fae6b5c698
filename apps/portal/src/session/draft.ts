import { type Dispatch, type SetStateAction, useState } from 'react'
import { useSession } from './session.ts'

/** Texts by person and name. In memory only: a reload forgets them. */
const kept = new Map<string, unknown>()

/**
 * A state of texts that were typed and not saved. It outlives its page and the person's session in this tab, and is
 * there again after the same person's next sign-in.
 * @param empty value without a text, which is not kept; always the same object
 */
export function useDraft<T>(name: string, empty: T): [T, Dispatch<SetStateAction<T>>] {
  const email = useSession().data?.email
  const [key] = useState(() => JSON.stringify([email, name]))
  const current = () => (kept.has(key) ? (kept.get(key) as T) : empty)
  const [draft, setDraft] = useState(current)
  const change = (to: SetStateAction<T>) => {
    const next = to instanceof Function ? to(current()) : to
    // Here and not in an effect: a saved text is forgotten although its page was left before the answer.
    if (next === empty) kept.delete(key)
    else kept.set(key, next)
    setDraft(next)
  }
  return [draft, change]
}

// The browser asks before leaving the page, which would lose these texts.
addEventListener('beforeunload', (event) => {
  if (kept.size > 0) event.preventDefault()
})

/** Whether something was typed and not saved. */
export const hasDrafts = (): boolean => kept.size > 0

/** Drops all drafts. */
export const forgetDrafts = (): void => kept.clear()
