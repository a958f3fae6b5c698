import { useSyncExternalStore } from 'react'

let moves = 0

// Ignores the skip link (`#main`), which stays on the page.
const note = () => void (location.hash === '' && moves++)
addEventListener('popstate', note)

const subscribe = (onChange: () => void) => {
  addEventListener('popstate', onChange)
  return () => removeEventListener('popstate', onChange)
}

/** Number of moves by Back and Forward since the application was opened. */
export const useHistoryMoves = (): number => useSyncExternalStore(subscribe, () => moves)
