import { Group, Stack, Text, Textarea } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { useCopy } from './copy.ts'
import { Dialog } from './dialog.tsx'
import { Failure } from './states.tsx'

interface DialogProps {
  /** The action's name: title of the dialog and name of its confirming button. */
  action: string
  /** Text of the confirming button, where the title alone does not say what changes. */
  confirm?: string | undefined
  isOpen: boolean
  onClose: () => void
  isBusy?: boolean
  error?: Error | null
  /** Whether the change destroys something, so that the button is red. */
  isDestructive?: boolean
  children?: ReactNode
}

/** A dialog with fields and a confirming button. */
export function ActionDialog({ onConfirm, ...props }: DialogProps & { onConfirm: () => void }) {
  const { action, confirm = action, isOpen, onClose, isBusy = false, error, isDestructive, children } = props
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onConfirm()
  }
  // Closed while the change is being sent, it would not show a refusal.
  const close = isBusy ? () => undefined : onClose
  return (
    <Dialog opened={isOpen} onClose={close} title={action} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={submit}>
        <Stack>
          {children}
          {error && <Failure error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" isOff={isBusy} onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" isBusy={isBusy} {...(isDestructive && { color: 'red.9' })}>
              {confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

const MAX_REASON = 500

interface ReasonDialogProps extends DialogProps {
  /** Hint below the reason: its readers. */
  about?: string | undefined
  onConfirm: (reason: string) => void
}

/** A dialog that asks for the reason, which every change of an operator must give. */
export function ReasonDialog({
  about = 'Stands in the audit beside your name.',
  onConfirm,
  children,
  ...props
}: ReasonDialogProps) {
  const [reason, setReason] = useState('')
  return (
    <ActionDialog {...props} onConfirm={() => onConfirm(reason.trim())}>
      {children}
      <Textarea
        label="Reason"
        description={about}
        required
        autosize
        minRows={2}
        maxLength={MAX_REASON}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </ActionDialog>
  )
}

interface SecretDialogProps {
  title: string
  /** Purpose of the secret. */
  about: ReactNode
  /** Name and value, which are shown this once; null closes the dialog. */
  secret: readonly [name: string, value: string] | null
  onClose: () => void
  /** What belongs to the secret, such as its key id. */
  children?: ReactNode
}

/** Shows a new secret once. It is gone when the dialog is closed. */
export function SecretDialog({ title, about, secret, onClose, children }: SecretDialogProps) {
  return (
    <Dialog opened={secret !== null} onClose={onClose} title={title} withCloseButton={false} size="lg">
      <Stack>
        <Text size="sm">{about}</Text>
        {children}
        {secret && <Secret name={secret[0]} value={secret[1]} />}
        <Text size="sm" fw={600}>
          It is not shown again.
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>Close</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

function Secret({ name, value }: { name: string; value: string }) {
  const { source, copy, message } = useCopy<HTMLElement>(value)
  return (
    <Stack gap={4}>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <code ref={source}>{value}</code>
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={() => void copy()}>
          Copy
        </Button>
        <Text size="xs" role="status">
          {message}
        </Text>
      </Group>
    </Stack>
  )
}
