import { ValidateBy, ValidateIf } from 'class-validator'

/** The field may be absent; null is not the same as absent and is refused. */
export const Optional = (): PropertyDecorator => ValidateIf((_object, value) => value !== undefined)

const hasControls = (text: string): boolean => /[\p{Cc}]/u.test(text)

/** Text of 1 to `max` code points that says something: not only white space, no lone surrogates. */
export const Text = (max: number): PropertyDecorator => textRule(max, (text) => !text.includes('\0'))

/** As `Text`, in one line: no control characters (C0, DEL, C1). */
export const Line = (max: number): PropertyDecorator => textRule(max, (text) => !hasControls(text))

const textRule = (max: number, accepts: (text: string) => boolean): PropertyDecorator =>
  ValidateBy({
    name: 'text',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && isText(value, max) && accepts(value),
      defaultMessage: () => `must be a text of 1 to ${max} characters`,
    },
  })

const isText = (value: string, max: number): boolean =>
  value.isWellFormed() && value.trim() !== '' && [...value].length <= max
