import { Button as MantineButton, type ButtonProps as MantineButtonProps } from '@mantine/core'
import type { ComponentPropsWithRef, MouseEvent } from 'react'

type NativeProps = ComponentPropsWithRef<'button'>

interface ButtonProps
  extends
    Omit<MantineButtonProps, 'loading' | 'disabled' | 'renderRoot'>,
    Pick<NativeProps, 'type' | 'onClick' | 'aria-label'> {
  /** Whether the button's action goes on. */
  isBusy?: boolean
  /** Whether there is nothing to do for the button. */
  isOff?: boolean
}

/** The root without `disabled`, which would take the focus away from the button and out of its dialog. */
const focusableRoot = ({ disabled: _disabled, ...props }: NativeProps) => <button {...props} />

const ignore = (event: MouseEvent) => event.preventDefault()

/** A button that keeps the focus while it is busy or off. */
export function Button({ isBusy = false, isOff = false, onClick, ...props }: ButtonProps) {
  const isIdle = !isBusy && !isOff
  return (
    <MantineButton
      {...props}
      loading={isBusy}
      data-disabled={isOff || undefined}
      aria-disabled={!isIdle || undefined}
      aria-busy={isBusy || undefined}
      onClick={isIdle ? onClick : ignore}
      renderRoot={focusableRoot}
    />
  )
}
