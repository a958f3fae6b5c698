import { Button, Panel } from '@connectivity/ui'
import { Group, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { reservationPath } from './connection-page.ts'

/** Leads to the timeline of a reservation by its id. */
export function FindReservation({ connectionId }: { connectionId: string }) {
  const [, navigate] = useLocation()
  const [id, setId] = useState('')
  const show = (event: FormEvent) => {
    event.preventDefault()
    navigate(reservationPath(connectionId, id.trim()))
  }
  return (
    <Panel title="Find a reservation">
      <form onSubmit={show}>
        <Group align="end">
          <TextInput
            label="Reservation id"
            required
            pattern=".*\S.*"
            value={id}
            onChange={(event) => setId(event.target.value)}
          />
          <Button type="submit" variant="default">
            Show timeline
          </Button>
        </Group>
      </form>
    </Panel>
  )
}
