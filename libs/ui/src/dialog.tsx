import { Modal, type ModalProps } from '@mantine/core'
import { useMergedRef } from '@mantine/hooks'
import { focusAgain } from './focus.ts'
import { useEffect, useLayoutEffect, useRef } from 'react'

/** Elements that a dialog offers first, where it has such: fields before buttons. */
const FIRST = ['input:not([type=hidden]), select, textarea', 'button']

/** Marks the element that gets the focus when the dialog opens; Mantine would take the button in its header. */
function markFirst(body: HTMLElement | null): void {
  const first = FIRST.map((elements) => body?.querySelector(elements)).find((found) => found)
  first?.setAttribute('data-autofocus', '')
}

/** Whether a dialog's body is in the dialog that was opened last. */
const isUppermost = (body: HTMLElement | null): boolean =>
  [...document.querySelectorAll('[role=dialog]')].at(-1)?.contains(body) ?? false

/**
 * A modal dialog. Returns the focus on close and on unmount; Mantine does not on unmount, or when another dialog opens
 * at once. Opens without fading, because half-faded text has too little contrast. A click outside does not close it,
 * because what was typed would be lost.
 */
export function Dialog({ children, onClose, ...props }: ModalProps) {
  const { opened } = props
  const opener = useRef<Element>(null)
  const body = useRef<HTMLDivElement>(null)
  const bodyRef = useMergedRef(body, markFirst)
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
    <Modal
      returnFocus={false}
      closeOnClickOutside={false}
      transitionProps={{ duration: 0 }}
      {...props}
      // Escape reaches every open dialog.
      onClose={() => isUppermost(body.current) && onClose()}
    >
      <div ref={bodyRef}>{children}</div>
    </Modal>
  )
}
