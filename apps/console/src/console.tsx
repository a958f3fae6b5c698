import { idOf, NotFound, Shell } from '@connectivity/ui'
import { useQueryClient } from '@tanstack/react-query'
import { Route, Switch } from 'wouter'
import { Application } from './pages/application.tsx'
import { Applications } from './pages/applications.tsx'
import { Audit } from './pages/audit.tsx'
import { Connection } from './pages/connection.tsx'
import { DeadLetters } from './pages/dead-letters.tsx'
import { Overview } from './pages/overview.tsx'
import { ProductionRequests } from './pages/production-requests.tsx'
import { PausableReading } from './pages/reading.tsx'
import { Requests } from './pages/requests.tsx'
import { signOut, useOperator } from './session/session.ts'
import { SignIn, SignInAgain } from './session/sign-in.tsx'

const MENU = [
  { label: 'Overview', href: '/' },
  { label: 'Applications', href: '/applications' },
  { label: 'Production requests', href: '/production-requests' },
  { label: 'Dead letters', href: '/dead-letters' },
  { label: 'Requests', href: '/requests' },
  { label: 'Audit', href: '/audit' },
]

/** The whole application: its frame, and the page that the address names. */
export function Console() {
  const client = useQueryClient()
  const operator = useOperator()
  return (
    <Shell
      name="Console"
      menu={operator ? MENU : []}
      person={operator ? `${operator.subject}${operator.mayChange ? '' : ' · read only'}` : null}
      onSignOut={() => signOut(client)}
    >
      {operator ? (
        <PausableReading>
          <Pages />
        </PausableReading>
      ) : (
        <SignIn />
      )}
      {operator?.hasEnded && <SignInAgain onClose={() => signOut(client)} />}
    </Shell>
  )
}

const Pages = () => (
  <Switch>
    <Route path="/" component={Overview} />
    <Route path="/applications" component={Applications} />
    <Route path="/applications/:id">{({ id }) => <Application id={idOf(id)} key={id} />}</Route>
    <Route path="/connections/:id">{({ id }) => <Connection id={idOf(id)} key={id} />}</Route>
    <Route path="/production-requests" component={ProductionRequests} />
    <Route path="/dead-letters" component={DeadLetters} />
    <Route path="/requests" component={Requests} />
    <Route path="/audit" component={Audit} />
    <Route>
      <NotFound what="Page">Check the address, or start from the menu.</NotFound>
    </Route>
  </Switch>
)
