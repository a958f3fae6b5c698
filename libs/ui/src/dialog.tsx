import { Modal, type ModalProps } from '@mantine/core'
import { useEffect } from 'react'

/**
 * A modal dialog. Returns the focus on close and on unmount; Mantine does not on unmount, or when another dialog opens at
 * once. Opens without fading, because half-faded text has too little contrast.
 */
export function Dialog(props: ModalProps) {
  const { opened } = props
  useEffect(() => {
    if (!opened) return
    const opener = document.activeElement
    return () => {
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true })
    }
  }, [opened])
  return <Modal returnFocus={false} transitionProps={{ duration: 0 }} {...props} />
}
