import { ReasonDialog, useChange, useFocusAfter } from '@connectivity/ui'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { everythingRead, useMayChange } from '../session/session.ts'

/** Body of a request, with the operator's reason, and the header with its key. */
export type WithReason = <Fields extends object>(
  fields?: Fields,
) => { headers: { 'Idempotency-Key': string }; body: Fields & { reason: string } }

/** Form of an action: what its fields hold, and how they change. */
export interface Form<Fields> {
  fields: Fields
  set: (changed: Partial<Fields>) => void
  /** Properties of the text field for one of the fields. */
  text: (field: keyof Fields) => { value: string; onChange: (event: { target: { value: string } }) => void }
}

interface ActionProps<T, Fields> {
  /** Name of the button and of the dialog. */
  name: string
  /** Text of the confirming button; begins with the action's name. */
  confirm?: string
  /** Makes the change; `withReason` completes its request. */
  run: (withReason: WithReason, fields: Fields) => Promise<T>
  onDone?: (answer: T) => void
  /** What the fields hold when the dialog opens. */
  initial?: Fields
  isDestructive?: boolean | ((fields: Fields) => boolean)
  /** Draws the fields before the reason. */
  children?: (form: Form<Fields>) => ReactNode
}

/** Fields of a dialog, and what makes them new for each opening. */
function useForm<Fields extends object>(initial: Fields): [Form<Fields>, reset: () => void] {
  const [fields, setFields] = useState(initial)
  const set = (changed: Partial<Fields>) => setFields((current) => ({ ...current, ...changed }))
  return [
    {
      fields,
      set,
      text: (field) => ({
        value: String(fields[field]),
        onChange: ({ target }) => setFields((current) => ({ ...current, [field]: target.value })),
      }),
    },
    () => setFields(initial),
  ]
}

/** A button that asks for a reason and makes a change; not shown to operators who may only read. */
export function Action<T, Fields extends object>({
  name,
  confirm,
  run,
  onDone,
  initial = {} as Fields,
  isDestructive = false,
  children,
}: ActionProps<T, Fields>) {
  const client = useQueryClient()
  const [form, reset] = useForm(initial)
  const [isOpen, setOpen] = useState(false)
  const change = useChange(
    (keyOf, reason: string) =>
      run(<Body extends object>(fields = {} as Body) => {
        const body = { ...fields, reason }
        return { headers: keyOf(body), body }
      }, form.fields),
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
    reset()
    setOpen(true)
  }
  const close = () => {
    setOpen(false)
    // What the page shows may be why the change was refused.
    if (change.error) void client.invalidateQueries(everythingRead)
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
          onClose={close}
          isBusy={change.isPending}
          error={change.error}
          isDestructive={typeof isDestructive === 'function' ? isDestructive(form.fields) : isDestructive}
          onConfirm={(reason) => change.send(reason)}
        >
          {children?.(form)}
        </ReasonDialog>
      )}
    </>
  )
}
