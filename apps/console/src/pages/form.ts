import { useState } from 'react'

/** Values of an action's fields, and functions that change them. */
export interface Form<Fields> {
  fields: Fields
  set: (changed: Partial<Fields>) => void
  /** Properties of the text field for one of the fields. */
  text: (field: keyof Fields) => { value: string; onChange: (event: { target: { value: string } }) => void }
}

/** @returns the form, and a function that resets all fields to `initial` */
export function useForm<Fields extends object>(initial: Fields): [Form<Fields>, reset: () => void] {
  const [fields, setFields] = useState(initial)
  const set = (changed: Partial<Fields>) => setFields((current) => ({ ...current, ...changed }))
  const text: Form<Fields>['text'] = (field) => ({
    value: String(fields[field]),
    onChange: ({ target }) => set({ [field]: target.value } as Partial<Fields>),
  })
  return [{ fields, set, text }, () => setFields(initial)]
}
