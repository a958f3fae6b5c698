import { NativeSelect, type NativeSelectProps } from '@mantine/core'

interface ChoiceProps<T extends string> extends Pick<NativeSelectProps, 'label'> {
  options: readonly T[]
  value: T
  onChoose: (option: T) => void
  /** Label of an option; itself by default. */
  labelOf?: (option: T) => string
}

/** A field that offers a few values. */
export function Choice<T extends string>({ label, options, value, onChoose, labelOf = String }: ChoiceProps<T>) {
  // What was chosen stays, also when it is no longer offered.
  const offered = options.includes(value) ? options : [value, ...options]
  return (
    <NativeSelect
      label={label}
      data={offered.map((option) => ({ value: option, label: labelOf(option) }))}
      value={value}
      onChange={(event) => onChoose(offered[event.target.selectedIndex] ?? value)}
    />
  )
}
