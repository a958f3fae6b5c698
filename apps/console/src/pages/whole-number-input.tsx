import { TextInput, type TextInputProps } from '@mantine/core'
import { isWholeNumber, WHOLE_NUMBER } from './texts.ts'

interface WholeNumberInputProps extends Pick<TextInputProps, 'label' | 'description' | 'onChange'> {
  value: string
}

/** A field for a whole number. A form with another text in it is not sent, and the field says why. */
export const WholeNumberInput = ({ value, ...props }: WholeNumberInputProps) => (
  <TextInput
    {...props}
    required
    inputMode="numeric"
    pattern={WHOLE_NUMBER}
    error={value === '' || isWholeNumber(value) ? undefined : 'Give a whole number, such as 1200 or 1,200.'}
    value={value}
  />
)
