import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect, useState } from 'react'

const Reading = createContext<readonly [isPaused: boolean, pause: (isPaused: boolean) => void]>([
  false,
  () => undefined,
])

/** Lets an open dialog pause the reading of its page. */
export const PausableReading = ({ children }: { children: ReactNode }) => (
  <Reading value={useState(false)}>{children}</Reading>
)

/** Whether the page is not read again for now. */
export const useIsPaused = (): boolean => use(Reading)[0]

/**
 * Keeps the page as it is while a dialog is open: a colleague's change would take away the button or row of the dialog,
 * and with it what was typed.
 */
export function usePause(isOpen: boolean): void {
  const client = useQueryClient()
  const [, pause] = use(Reading)
  useEffect(() => {
    if (!isOpen) return
    pause(true)
    void client.cancelQueries({ predicate: ({ state }) => state.data !== undefined })
    return () => pause(false)
  }, [isOpen, pause, client])
}
