import { Time } from '@connectivity/ui'
import { Alert } from '@mantine/core'
import { useEffect, useState } from 'react'

/** Time before the end of a session from which the pages say so, ms. */
const NOTICE = 15 * 60_000

/** Says that the session ends soon. */
export function EndingSoon({ endsAt }: { endsAt: string }) {
  const [isSoon, setSoon] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSoon(true), Date.parse(endsAt) - NOTICE - Date.now())
    return () => clearTimeout(timer)
  }, [endsAt])
  return (
    <div role="status">
      {isSoon && (
        <Alert variant="default" mb="lg">
          Your session ends at <Time at={endsAt} />. Save what you have typed, and ask operations for a new link.
        </Alert>
      )}
    </div>
  )
}
