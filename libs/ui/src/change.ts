import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Intention, type KeyOf } from './intention.ts'

interface Change<T, Given> {
  /** Sends the change; does nothing while it is being sent. */
  send: (given: Given) => void
  /** Sends it as a new change, even if the last one is unanswered. */
  sendAsNew: (given: Given) => void
  /**
   * Forgets the last result unless the change is being sent; keeps the keys: an unanswered change may have been made.
   */
  clear: () => void
  isPending: boolean
  isSuccess: boolean
  data: T | undefined
  /** What was sent last. */
  given: Given | undefined
  error: Error | null
}

/**
 * A change of something. A retry after a lost answer has the same Idempotency-Key; other content, and a change after a
 * success or a stored refusal, have new ones.
 * @param run sends the change; `keyOf` makes the header of a request from its body
 */
export function useChange<T, Given = void>(
  run: (keyOf: KeyOf, given: Given) => Promise<T>,
  onSuccess?: (answer: T, given: Given) => unknown,
): Change<T, Given> {
  const [intention] = useState(() => new Intention())
  const { mutate, reset, isPending, isSuccess, data, variables, error } = useMutation<T, Error, Given>({
    mutationFn: (given) => run(intention.keyOf, given),
    onSuccess: (answer, given) => onSuccess?.(answer, given),
    onSettled: (_, failure) => intention.end(failure),
  })
  const send = (given: Given) => {
    if (intention.begin()) mutate(given)
  }
  const sendAsNew = (given: Given) => {
    if (intention.renew()) send(given)
  }
  const clear = () => {
    if (!isPending) reset()
  }
  return { send, sendAsNew, clear, isPending, isSuccess, data, given: variables, error }
}
