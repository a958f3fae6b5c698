import { ActionDialog, answerOf, useChange } from '@connectivity/ui'
import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { api, type Schemas } from '../api/client.ts'

/** Rotates the callback's secret after a question. */
export function RotateSecret({ id, onDone }: { id: string; onDone: (answer: Schemas['CallbackAnswer']) => void }) {
  const [isOpen, setOpen] = useState(false)
  const rotation = useChange(
    (keyOf) =>
      answerOf(api.POST('/properties/{id}/callback/rotate-secret', { params: { path: { id }, header: keyOf() } })),
    (answer) => {
      setOpen(false)
      onDone(answer)
    },
  )
  const open = () => {
    rotation.clear()
    setOpen(true)
  }
  return (
    <>
      <Button variant="default" onClick={open}>
        Rotate secret
      </Button>
      <ActionDialog
        action="Rotate secret"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        isBusy={rotation.isPending}
        error={rotation.error}
        isDestructive
        onConfirm={() => rotation.send()}
      >
        <Text size="sm">
          Creates a new secret. For one day every event is signed with both; then the old one stops working.
        </Text>
      </ActionDialog>
    </>
  )
}
