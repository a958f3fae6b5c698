import { answerOf, Button, Failure, Page, Panel, useChange } from '@connectivity/ui'
import { Stack, Text } from '@mantine/core'
import { useLocation } from 'wouter'
import { api } from '../api/client.ts'

/** Takes the secret of a portal link out of the address, before anything else can read it there. */
function takeToken(): string | null {
  const token = location.hash.slice(1)
  if (token === '' || !location.pathname.endsWith('/sign-in')) return null
  history.replaceState(null, '', location.pathname)
  return token
}

let token = takeToken()

/**
 * The page behind a portal link. The link is used only when the button is pressed: programs that preview mails open it.
 */
export function SignIn() {
  const [, navigate] = useLocation()
  const signIn = useChange(
    (_, secret: string) => answerOf(api.POST('/portal/session', { body: { token: secret } })),
    () => {
      token = null
      navigate('/', { replace: true })
    },
  )
  const secret = token
  if (secret === null) return <SignedOut />
  return (
    <Page title="Sign in">
      <Panel>
        <Stack align="flex-start">
          <Text>This link signs you in once. Your session lasts eight hours.</Text>
          <Button isBusy={signIn.isPending} onClick={() => signIn.send(secret)}>
            Sign in
          </Button>
          {signIn.error && <Failure error={signIn.error} title="You are not signed in" />}
        </Stack>
      </Panel>
    </Page>
  )
}

/** Replaces every page until a person signs in. */
export const SignedOut = () => (
  <Page title="Sign in">
    <Panel>
      <Text>
        You are not signed in, or your session has ended. Operations of the platform issue links to this portal: ask
        them for a new link.
      </Text>
    </Panel>
  </Page>
)
