import { NativeSelect, type NativeSelectProps } from '@mantine/core'

interface ChoiceProps<T extends string> extends Pick<NativeSelectProps, 'label' | 'error'> {
  options: readonly T[]
  value: T
  onChoose: (option: T) => void
  /** Label of an option; the option itself by default. */
  labelOf?: (option: T) => string
}

/** A field with a few options. */
export function Choice<T extends string>({ options, value, onChoose, labelOf = String, ...props }: ChoiceProps<T>) {
  // Keeps showing a value that is not an option, or no longer one.
  const offered = options.includes(value) ? options : [...options, value]
  return (
    <NativeSelect
      {...props}
      data={offered.map((option) => ({ value: option, label: labelOf(option) }))}
      value={value}
      onChange={(event) => onChoose(offered[event.target.selectedIndex] ?? value)}
    />
  )
}
