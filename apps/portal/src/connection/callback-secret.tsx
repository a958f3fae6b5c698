import { Facts, SecretDialog } from '@connectivity/ui'
import { createContext, type ReactNode, use, useState } from 'react'

interface CallbackSecret {
  connectionId: string
  secret: string
}

const ShowSecret = createContext<(shown: CallbackSecret) => void>(() => undefined)

/** Shows the new secret of a callback. */
export const useShowSecret = () => use(ShowSecret)

/** Shows new secrets of callbacks on whichever page is open: a person may have left the page that waited for one. */
export function CallbackSecrets({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<CallbackSecret | null>(null)
  return (
    <ShowSecret value={setShown}>
      {children}
      <SecretDialog
        title="Callback secret"
        about="Verify the signature of every event with this secret."
        secret={shown && ['Secret', shown.secret]}
        onClose={() => setShown(null)}
      >
        {shown && <Facts facts={[['Property id', shown.connectionId]]} />}
      </SecretDialog>
    </ShowSecret>
  )
}
