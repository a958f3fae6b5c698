import { useEffect, useRef } from 'react'

/** Gives the focus back to an element; if it has gone, to an open dialog or the page's title. */
export function focusAgain(element: Element | null): void {
  const isUsable = element instanceof HTMLElement && element.isConnected && element !== document.body
  const target = isUsable ? element : document.querySelector<HTMLElement>('[role=dialog] [data-autofocus], main h1')
  target?.focus({ preventScroll: true })
}

/**
 * Gives the focus to the title of the page when something that was used goes and takes the focus with it.
 * @returns notes the use
 */
export function useFocusAfter(): () => void {
  const wasUsed = useRef(false)
  useEffect(
    () => () => {
      if (wasUsed.current && document.activeElement === document.body) focusAgain(null)
    },
    [],
  )
  return () => {
    wasUsed.current = true
  }
}
