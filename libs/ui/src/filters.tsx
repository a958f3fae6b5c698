import { TextInput } from '@mantine/core'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { useSearchParams } from 'wouter'
import { Choice } from './choice.tsx'
import classes from './filters.module.css'
import { messageOf } from './faults.ts'
import { faultsOf } from './request-error.ts'
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
const ZONE = 'With zone; Z is UTC'
/** Examples shown in empty text filters, by name. */
const examples: Readonly<Record<string, string>> = {
  since: TIME,
  until: TIME,
  from: TIME,
  to: TIME,
  code: 'invalid_request',
}
/** Fault of a time: the interface's own message tells how to write it in an address. */
const TIME_FAULT = `Give a time with its zone, such as ${TIME}.`
/** Hints at text filters, by name. */
const hints: Readonly<Record<string, string>> = { since: ZONE, until: ZONE, from: ZONE, to: ZONE }

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

interface FiltersProps {
  filters: readonly Filter[]
  /** Refusal of the list; its faults are shown at their filters. */
  error?: Error | null
}

/** Fields for the filters of a list, kept in the page's address. */
export function Filters({ filters, error = null }: FiltersProps) {
  const [params, setParams] = useSearchParams()
  const set = (name: string, value: string, options?: { replace: boolean }) =>
    setParams((now) => {
      const next = new URLSearchParams(now)
      if (value === '') next.delete(name)
      else next.set(name, value)
      return next
    }, options)
  const faults = new Map(faultsOf(error).map((fault) => [fault.pointer, messageOf(fault)]))
  return (
    <div className={classes.filters} role="search">
      {filters.map((filter) => {
        const { name, options, labels = {} } = filter
        const field = { name, value: params.get(name) ?? '', fault: faults.get(name) }
        if (options) {
          return (
            <Choice
              key={name}
              label={titleOf(name)}
              options={['', ...options]}
              labelOf={(option) => (option === '' ? 'any' : (labels[option] ?? wordsOf(option)))}
              value={field.value}
              error={field.fault}
              onChoose={(value) => set(name, value)}
            />
          )
        }
        // Back leads to the previous choice, but not through every pause while a text is typed.
        return <TextFilter key={name} {...field} onFilter={(text) => set(name, text, { replace: true })} />
      })}
    </div>
  )
}

interface FieldProps {
  name: string
  /** Value in the page's address; empty without one. */
  value: string
  /** Fault of the value. */
  fault: string | undefined
  onFilter: (value: string) => void
}

/** A field whose text filters after a pause; it follows the address when that changes otherwise. */
function TextFilter({ name, value, fault, onFilter }: FieldProps) {
  const [text, setText] = useState(value)
  const [last, setLast] = useState(value)
  if (value !== last) {
    setLast(value)
    if (value !== text.trim()) setText(value)
  }
  const isApplied = text.trim() === value.trim()
  const filter = useEffectEvent(() => onFilter(text.trim()))
  useEffect(() => {
    if (isApplied) return
    const timer = setTimeout(() => filter(), PAUSE)
    return () => clearTimeout(timer)
  }, [text, isApplied])
  return (
    <TextInput
      label={titleOf(name)}
      description={hints[name]}
      placeholder={examples[name]}
      value={text}
      error={isApplied && fault && (hints[name] ? TIME_FAULT : fault)}
      onChange={(event) => setText(event.target.value)}
    />
  )
}
