import { NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useMemo } from 'react'
import { useSearchParams } from 'wouter'
import classes from './filters.module.css'
import { useHistoryMoves } from './history-moves.ts'
import { titleOf, wordsOf } from './state.tsx'

/** A filter of a list; its name is the interface's parameter and that of the page's address. */
export interface Filter {
  name: string
  /** Options of a choice; without them the filter is a free text. */
  options?: readonly string[]
  /** Text shown for an option instead of the option itself. */
  labels?: Readonly<Record<string, string>>
}

const TIME = '2026-11-20T00:00:00Z'
/** Examples shown in empty text filters, by name. */
const examples: Readonly<Record<string, string>> = {
  since: TIME,
  until: TIME,
  from: TIME,
  to: TIME,
  code: 'invalid_request',
}

/** Time after the last key until a text filters, ms. */
const PAUSE = 300

/** The filters that the page's address holds; the object changes only when they do. */
export function useFilters<Name extends string>(names: readonly Name[]): Partial<Record<Name, string>> {
  const [params] = useSearchParams()
  const given = JSON.stringify(names.flatMap((name) => (params.get(name) ? [[name, params.get(name)!]] : [])))
  return useMemo(
    () => Object.fromEntries(JSON.parse(given) as [Name, string][]) as Partial<Record<Name, string>>,
    [given],
  )
}

/** Fields for the filters of a list, kept in the page's address. */
export function Filters({ filters }: { filters: readonly Filter[] }) {
  const [params, setParams] = useSearchParams()
  const moves = useHistoryMoves()
  const set = (name: string, value: string, options?: { replace: boolean }) =>
    setParams((now) => {
      const next = new URLSearchParams(now)
      if (value === '') next.delete(name)
      else next.set(name, value)
      return next
    }, options)
  // Back leads to the previous choice, but not through every pause while a text is typed.
  const setSoon = useDebouncedCallback((name: string, text: string) => set(name, text, { replace: true }), PAUSE)
  return (
    <div className={classes.filters} role="search">
      {filters.map(({ name, options, labels = {} }) => {
        const value = params.get(name) ?? ''
        if (!options) {
          const change = (text: string) => setSoon(name, text.trim())
          return (
            <TextInput
              key={`${name} ${moves}`}
              label={titleOf(name)}
              placeholder={examples[name]}
              defaultValue={value}
              onChange={(e) => change(e.target.value)}
            />
          )
        }
        // A value of the address that is not an option is shown as it is.
        const known = value === '' || options.includes(value) ? options : [...options, value]
        const choices = known.map((option) => ({ value: option, label: labels[option] ?? wordsOf(option) }))
        return (
          <NativeSelect
            key={name}
            label={titleOf(name)}
            data={[{ value: '', label: 'any' }, ...choices]}
            value={value}
            onChange={(e) => set(name, e.target.value)}
          />
        )
      })}
    </div>
  )
}
