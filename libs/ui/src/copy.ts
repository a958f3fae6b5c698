import { type RefObject, useEffect, useRef, useState } from 'react'

/** Time for which a page says that a text was copied, ms. */
const SHOWN_FOR = 3_000
const BY_HAND = 'The browser does not allow copying: the text is selected, copy it by hand.'

interface Copying<T> {
  /** For the element that holds the text. */
  source: RefObject<T | null>
  copy: () => Promise<void>
  /** Tells how the last copy went; empty otherwise. */
  message: string
}

/** Copies a text; where the browser refuses, selects it for copying by hand. */
export function useCopy<T extends HTMLElement>(text: string): Copying<T> {
  const source = useRef<T>(null)
  const [message, setMessage] = useState('')
  useEffect(() => {
    if (message !== 'Copied') return
    const timer = setTimeout(() => setMessage(''), SHOWN_FOR)
    return () => clearTimeout(timer)
  }, [message])
  const copy = async () => {
    try {
      // Missing in pages that were not loaded securely.
      await navigator.clipboard.writeText(text)
      setMessage('Copied')
    } catch {
      if (source.current) getSelection()?.selectAllChildren(source.current)
      setMessage(BY_HAND)
    }
  }
  return { source, copy, message }
}
