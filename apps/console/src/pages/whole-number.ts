/** Pattern of a whole number, with or without commas between the thousands. */
export const WHOLE_NUMBER = String.raw`\s*(\d+|\d{1,3}(,\d{3})+)\s*`

const whole = new RegExp(`^${WHOLE_NUMBER}$`)

/** Whether a text is a whole number, such as `1200` or `1,200`. */
export const isWholeNumber = (text: string): boolean => whole.test(text)

/** The number that a whole number's text means. */
export const wholeNumberOf = (text: string): number => Number(text.replaceAll(',', ''))
