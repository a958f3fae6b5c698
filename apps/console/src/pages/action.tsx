import { ReasonDialog, useChange, useFocusAfter } from '@connectivity/ui'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { everythingRead, useMayChange } from '../session/session.ts'
import { type Form, useForm } from './form.ts'
import { usePause } from './reading.tsx'

/** Body of a request, with the operator's reason, and the header with its key. */
export type WithReason = <Fields extends object>(
  fields?: Fields,
) => { headers: { 'Idempotency-Key': string }; body: Fields & { reason: string } }

interface ActionProps<T, Fields> {
  /** Name of the button and of the dialog. */
  name: string
  /** Text of the confirming button; begins with the action's name. */
  confirm?: string
  /** Makes the change; `withReason` completes its request. */
  run: (withReason: WithReason, fields: Fields) => Promise<T>
  onDone?: (answer: T) => void
  /** Values of the fields when the dialog opens. */
  initial?: Fields
  /** Hint below the reason; by default, that it is audited. */
  reasonAbout?: string
  isDestructive?: boolean | ((fields: Fields) => boolean)
  /** Draws the fields before the reason. */
  children?: (form: Form<Fields>) => ReactNode
}

/** A button that asks for a reason and makes a change; not shown to operators who may only read. */
export function Action<T, Fields extends object>(props: ActionProps<T, Fields>) {
  const { name, confirm, initial = {} as Fields, reasonAbout, isDestructive = false, children } = props
  const [isOpen, setOpen] = useState(false)
  usePause(isOpen)
  const [form, reset] = useForm(initial)
  const { change, readAgain } = useOperatorChange(props, form.fields, () => setOpen(false))
  // After a change another button may be here.
  const noteUse = useFocusAfter()
  const open = () => {
    noteUse()
    change.clear()
    reset()
    setOpen(true)
  }
  const close = () => {
    setOpen(false)
    // Outdated facts on the page may have caused the refusal.
    if (change.error) void readAgain()
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
          confirm={confirm}
          about={reasonAbout}
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

/** Makes the change of an action, then reads the page again. */
function useOperatorChange<T, Fields>(
  { run, onDone }: Pick<ActionProps<T, Fields>, 'run' | 'onDone'>,
  fields: Fields,
  close: () => void,
) {
  const client = useQueryClient()
  const readAgain = () => client.invalidateQueries(everythingRead)
  const change = useChange(
    (keyOf, reason: string) =>
      run(<Body extends object>(given = {} as Body) => {
        const body = { ...given, reason }
        return { headers: keyOf(body), body }
      }, fields),
    (answer) => {
      close()
      onDone?.(answer)
      return readAgain()
    },
  )
  return { change, readAgain }
}
