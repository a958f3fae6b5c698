import { ActionDialog, answerOf } from '@connectivity/ui'
import { Button, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, newKey, type Schemas } from '../api/client.ts'

/** Rotates the callback's secret after a question. */
export function RotateSecret({ id, onDone }: { id: string; onDone: (answer: Schemas['CallbackAnswer']) => void }) {
  const [isOpen, setOpen] = useState(false)
  const rotation = useMutation({
    mutationFn: () =>
      answerOf(api.POST('/properties/{id}/callback/rotate-secret', { params: { path: { id }, header: newKey() } })),
    onSuccess: (answer) => {
      setOpen(false)
      onDone(answer)
    },
  })
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Rotate secret
      </Button>
      <ActionDialog
        action="Rotate secret"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        isBusy={rotation.isPending}
        error={rotation.error}
        isDestructive
        onConfirm={() => rotation.mutate()}
      >
        <Text size="sm">
          Creates a new secret. For one day every event is signed with both; then the old one stops working.
        </Text>
      </ActionDialog>
    </>
  )
}
