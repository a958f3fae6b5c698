import type { RequestFault } from './request-error.ts'

const SPECIAL: Readonly<Record<string, string>> = { email: 'e-mail' }

/** Parts of a pointer that no label of a field has: numbers of list elements, and `limits`. */
const isUnnamed = (part: string): boolean => /^\d*$/.test(part) || part === 'limits'

/** The label of the field at a pointer: `/limits/feed/per_minute` is `Feed per minute`. */
export function labelOf(pointer: string): string {
  const parts = pointer.split('/').filter((part) => !isUnnamed(part))
  const words = parts.map((part) => SPECIAL[part] ?? part.replaceAll('_', ' ')).join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The message of a fault without the pointer at its start. */
export const messageOf = ({ pointer, message }: RequestFault): string =>
  pointer !== '' && message.startsWith(`${pointer}: `) ? message.slice(pointer.length + 2) : message

/** The message of a fault after the label of its field, which replaces the pointer. */
export function textOf(fault: RequestFault): string {
  const label = labelOf(fault.pointer)
  return label === '' ? messageOf(fault) : `${label}: ${messageOf(fault)}`
}

/** Faults to list below the message of their refusal: those that it leaves out or names by a pointer. */
export const listed = (message: string, faults: readonly RequestFault[]): readonly RequestFault[] =>
  faults.filter((fault) => !message.includes(fault.message) || messageOf(fault) !== fault.message)
