import { answerOf, Button, Failure, Page, Panel, RequestError, useChange } from '@connectivity/ui'
import { Stack, Text } from '@mantine/core'
import { useLocation } from 'wouter'
import { useHistoryState } from 'wouter/use-browser-location'
import { api } from '../api/client.ts'
import { hasDrafts } from './draft.ts'

/** Fragment of the link that skips to the content. */
const CONTENT = '#main'

/**
 * Moves the secret of a portal link from the address into the state of the history's entry, before anything else can
 * read it there. A reload keeps that state; signing in replaces the entry.
 */
function takeSecret(): void {
  const { hash, pathname } = location
  if (hash === '' || hash === CONTENT || !pathname.endsWith('/sign-in')) return
  history.replaceState({ secret: hash.slice(1) }, '', pathname)
}

takeSecret()
// A link that is opened in the same tab changes the fragment only.
addEventListener('hashchange', takeSecret)

/** The page behind a portal link. */
export function SignIn() {
  const state = useHistoryState<{ secret?: string } | null>()
  const secret = state?.secret
  return secret === undefined ? <SignedOut /> : <Link key={secret} secret={secret} />
}

/** Status of the refusal of a link that is used, expired or ended. */
const OVER = 401

/** Uses the link only when the button is pressed: programs that preview mails open it. */
function Link({ secret }: { secret: string }) {
  const [, navigate] = useLocation()
  const signIn = useChange(
    () => answerOf(api.POST('/portal/session', { body: { token: secret } })),
    () => navigate('/', { replace: true }),
  )
  const isOver = signIn.error instanceof RequestError && signIn.error.status === OVER
  return (
    <Page title="Sign in">
      <Panel>
        <Stack align="flex-start">
          {!isOver && (
            <>
              <Text>This link signs you in once.</Text>
              <Button isBusy={signIn.isPending} onClick={() => signIn.send()}>
                Sign in
              </Button>
            </>
          )}
          {signIn.error && <Failure error={signIn.error} title="This link did not sign you in" />}
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
      {hasDrafts() && (
        <Text mt="sm">
          What you have typed and not saved stays in this tab. Open the new link in another tab, sign in there, and come
          back here.
        </Text>
      )}
    </Panel>
  </Page>
)
