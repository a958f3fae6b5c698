import { Modal, type ModalProps } from '@mantine/core'
import { useEffect } from 'react'

/**
 * A modal dialog. It returns the focus when it closes, also when it is removed or another dialog follows at once;
 * Mantine's own way covers neither. It opens without fading: half-faded text has too little contrast.
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
