import { answerOf, Failure, idOf, Loaded, Shell, useChange } from '@connectivity/ui'
import { useQueryClient } from '@tanstack/react-query'
import { Route, Switch, useRoute } from 'wouter'
import { api } from './api/client.ts'
import { CallbackSecrets } from './connection/callback-secret.tsx'
import { Connection } from './connection/connection.tsx'
import { Connections } from './pages/connections.tsx'
import { NoSuchPage } from './pages/no-such-page.tsx'
import { Requests } from './pages/requests.tsx'
import { forgetDrafts } from './session/draft.ts'
import { EndingSoon } from './session/ending-soon.tsx'
import { endSession, sessionIdOf, type Session, useSession } from './session/session.ts'
import { SignedOut, SignIn } from './session/sign-in.tsx'

const MENU = [
  { label: 'Connections', href: '/' },
  { label: 'Requests', href: '/requests' },
]

/** The whole application: its frame, and the page that the address names. */
export function Portal() {
  const client = useQueryClient()
  const [isSigningIn] = useRoute('/sign-in')
  const session = useSession(!isSigningIn)
  const signOut = useChange(
    () => answerOf(api.DELETE('/portal/session')),
    () => {
      forgetDrafts()
      endSession(client)
    },
  )
  const person = isSigningIn ? null : session.data
  return (
    <Shell
      name="Partner portal"
      menu={person ? MENU : []}
      person={person ? `${person.email}${person.mayChange ? '' : ' · viewer'}` : null}
      onSignOut={() => signOut.send()}
    >
      {signOut.error && <Failure error={signOut.error} />}
      {isSigningIn ? (
        <SignIn />
      ) : (
        <CallbackSecrets key={session.data && sessionIdOf(session.data)}>
          <Content session={session} />
        </CallbackSecrets>
      )}
    </Shell>
  )
}

/** The page, once the answer about the session has arrived for it. */
function Content({ session }: { session: ReturnType<typeof useSession> }) {
  const { data, error, isFetching, errorUpdateCount, refetch, isPlaceholderData } = session
  const known = isPlaceholderData ? undefined : data
  // A page that is shown says itself what could not be read again.
  const query = {
    ...{ data: known, error: known === undefined ? error : null },
    ...{ isFetching, errorUpdateCount, refetch },
  }
  return (
    <Loaded query={query} title="The portal cannot be opened">
      {(found) => (found ? <Pages session={found} /> : <SignedOut />)}
    </Loaded>
  )
}

const Pages = ({ session: { endsAt } }: { session: Session }) => (
  <>
    <EndingSoon endsAt={endsAt} />
    <Switch>
      <Route path="/" component={Connections} />
      <Route path="/connections/:id/*?">{({ id }) => <Connection id={idOf(id)} key={id} />}</Route>
      <Route path="/requests" component={Requests} />
      <Route component={NoSuchPage} />
    </Switch>
  </>
)
