import { isWholeNumber, wholeNumberOf } from '../src/pages/whole-number.ts'

it.each([
  ['1200', 1_200],
  ['1,200', 1_200],
  [' 1,200,000 ', 1_200_000],
  ['0', 0],
])('%p is a whole number', (text, number) => {
  expect(isWholeNumber(text)).toBe(true)
  expect(wholeNumberOf(text)).toBe(number)
})

it.each(['', '1e3', '1.200', '1,20', ',200', '1200,000', '-5', '0x10', '1 200'])('%p is not a whole number', (text) => {
  expect(isWholeNumber(text)).toBe(false)
})
