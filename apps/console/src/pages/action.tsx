import { ReasonDialog, useChange, useFocusAfter } from '@connectivity/ui'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { everythingRead, useMayChange } from '../session/session.ts'

/** Body of a request, with the operator's reason, and the header with its key. */
export type WithReason = <Fields extends object>(
  fields?: Fields,
) => { headers: { 'Idempotency-Key': string }; body: Fields & { reason: string } }

interface ActionProps<T> {
  /** Name of the button and of the dialog. */
  name: string
  /** Text of the confirming button; begins with the action's name. */
  confirm?: string
  /** Makes the change; `withReason` completes its request. */
  run: (withReason: WithReason) => Promise<T>
  onDone?: (answer: T) => void
  /** Empties the fields when the dialog is opened. */
  onOpen?: () => void
  isDestructive?: boolean
  /** Fields before the reason. */
  children?: ReactNode
}

/** A button that asks for a reason and makes a change; not shown to operators who may only read. */
export function Action<T>({ name, confirm, run, onDone, onOpen, isDestructive = false, children }: ActionProps<T>) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const change = useChange(
    (keyOf, reason: string) =>
      run(<Fields extends object>(fields = {} as Fields) => {
        const body = { ...fields, reason }
        return { headers: keyOf(body), body }
      }),
    (answer) => {
      setOpen(false)
      onDone?.(answer)
      return client.invalidateQueries(everythingRead)
    },
  )
  // After a change another button may stand here.
  const noteUse = useFocusAfter()
  const open = () => {
    noteUse()
    change.clear()
    onOpen?.()
    setOpen(true)
  }
  if (!useMayChange()) return null
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        {name}
      </Button>
      {isOpen && (
        <ReasonDialog
          action={name}
          {...(confirm !== undefined && { confirm })}
          isOpen
          onClose={() => setOpen(false)}
          isBusy={change.isPending}
          error={change.error}
          isDestructive={isDestructive}
          onConfirm={(reason) => change.send(reason)}
        >
          {children}
        </ReasonDialog>
      )}
    </>
  )
}
