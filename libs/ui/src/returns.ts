import { useSyncExternalStore } from 'react'

let returns = 0

// The link to the content moves inside a page and has the hash `#main`.
const note = () => void (location.hash === '' && returns++)
addEventListener('popstate', note)

const subscribe = (onChange: () => void) => {
  addEventListener('popstate', onChange)
  return () => removeEventListener('popstate', onChange)
}

/** Number of moves by Back and Forward since the application was opened. */
export const useReturns = (): number => useSyncExternalStore(subscribe, () => returns)
