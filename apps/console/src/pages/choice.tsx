import { NativeSelect, type NativeSelectProps } from '@mantine/core'

interface ChoiceProps<T extends string> extends Pick<NativeSelectProps, 'label'> {
  options: readonly T[]
  value: T
  onChoose: (option: T) => void
  /** Label of an option; itself by default. */
  labelOf?: (option: T) => string
}

/** A field that offers a few values. */
export const Choice = <T extends string>({ label, options, value, onChoose, labelOf = String }: ChoiceProps<T>) => (
  <NativeSelect
    label={label}
    data={options.map((option) => ({ value: option, label: labelOf(option) }))}
    value={value}
    onChange={(event) => onChoose(options[event.target.selectedIndex] ?? value)}
  />
)
