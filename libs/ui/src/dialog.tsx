import { Modal, type ModalProps } from '@mantine/core'
import { focusAgain } from './focus.ts'
import { useEffect, useLayoutEffect, useRef } from 'react'

/** Elements that a dialog offers first, where it has such: fields before buttons. */
const FIRST = ['input:not([type=hidden]), select, textarea', 'button']

/** Marks the element that gets the focus when the dialog opens; Mantine would take the button in its header. */
function markFirst(body: HTMLElement | null): void {
  const first = FIRST.map((elements) => body?.querySelector(elements)).find((found) => found)
  first?.setAttribute('data-autofocus', '')
}

/**
 * A modal dialog. Returns the focus on close and on unmount; Mantine does not on unmount, or when another dialog opens
 * at once. Opens without fading, because half-faded text has too little contrast.
 */
export function Dialog({ children, ...props }: ModalProps) {
  const { opened } = props
  const opener = useRef<Element>(null)
  // Mantine moves the focus soon after the dialog appears, perhaps before other effects.
  useLayoutEffect(() => {
    if (opened) opener.current = document.activeElement === document.body ? null : document.activeElement
  }, [opened])
  useEffect(() => {
    if (!opened) return
    // A dialog that closes at the same time has given the focus back by now.
    opener.current ??= document.activeElement
    return () => focusAgain(opener.current)
  }, [opened])
  return (
    <Modal returnFocus={false} transitionProps={{ duration: 0 }} {...props}>
      <div ref={markFirst}>{children}</div>
    </Modal>
  )
}
