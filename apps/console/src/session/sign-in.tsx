import { Button, Dialog, Failure, Loading, Page, Panel, useChange } from '@connectivity/ui'
import { PasswordInput, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import {
  CALLBACK_PAGE,
  identityProvider,
  type IdentityProvider,
  leaveToSignIn,
  signInByWindow,
  tokenOfReturn,
  pageLeft,
} from './identity-provider.ts'
import { signIn } from './session.ts'

/** Page shown in place of every other one until the operator has signed in. */
export const SignIn = () => (
  <Page title="Sign in">
    <Panel>
      <WayToSignIn />
    </Panel>
  </Page>
)

/** Shown above the page when the token has ended; typed text stays. */
export const SignInAgain = ({ onClose }: { onClose: () => void }) => (
  <Dialog
    opened
    onClose={onClose}
    closeOnEscape={false}
    title="Sign in again"
    closeButtonProps={{ 'aria-label': 'Sign out' }}
  >
    <Text size="sm" mb="sm">
      The gateway no longer accepts your token: it has expired or was withdrawn.
    </Text>
    {identityProvider === null ? <PastedToken /> : <InWindow provider={identityProvider} />}
  </Dialog>
)

function WayToSignIn() {
  const [path] = useLocation()
  if (identityProvider === null) return <PastedToken />
  return path === CALLBACK_PAGE ? (
    <Returned provider={identityProvider} />
  ) : (
    <AtProvider provider={identityProvider} page={path} />
  )
}

function PastedToken() {
  const client = useQueryClient()
  const [token, setToken] = useState('')
  const attempt = useChange(() => signIn(client, token))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    attempt.send()
  }
  return (
    <form onSubmit={submit}>
      <Stack align="flex-start">
        <Text size="sm">
          The token of your identity provider stays in this tab: reloading the page asks for it again.
        </Text>
        <PasswordInput
          label="Operator token"
          w="100%"
          maw={520}
          required
          autoComplete="off"
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
        {attempt.error && <Failure error={attempt.error} title="The token was not accepted" />}
        <Button type="submit" isBusy={attempt.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}

/** @param page where the operator wants to be */
function AtProvider({ provider, page }: { provider: IdentityProvider; page: string }) {
  const leaving = useChange(() => leaveToSignIn(provider, page + location.search))
  return (
    <Stack align="flex-start">
      <Text size="sm">You sign in with your identity provider, and come back to this page.</Text>
      {leaving.error && <Failure error={leaving.error} />}
      <Button isBusy={leaving.isPending} onClick={() => leaving.send()}>
        Sign in
      </Button>
    </Stack>
  )
}

/** Signs in beside the page, which stays as it is. */
function InWindow({ provider }: { provider: IdentityProvider }) {
  const client = useQueryClient()
  const finishing = useChange((_keyOf, token: Promise<string>) => token.then((given) => signIn(client, given)))
  const opening = useChange(() => signInByWindow(provider, finishing.send))
  const error = finishing.error ?? opening.error
  const open = () => {
    finishing.clear()
    opening.send()
  }
  return (
    <Stack align="flex-start">
      <Text size="sm">You sign in with your identity provider, in a window of its own.</Text>
      {error && <Failure error={error} title="You are not signed in" />}
      <Button isBusy={opening.isPending || finishing.isPending} onClick={open}>
        Sign in
      </Button>
    </Stack>
  )
}

/** Page to which the provider sends the browser back. */
function Returned({ provider }: { provider: IdentityProvider }) {
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const [page] = useState(pageLeft)
  const finish = async () => {
    await signIn(client, await tokenOfReturn(provider))
    navigate(page, { replace: true })
    return null
  }
  // The answer can be used once; a second reading of it would replace the reason why the first has failed.
  const { error } = useQuery({
    ...{ queryKey: ['signed-in'], queryFn: finish, staleTime: Infinity },
    ...{ retry: false, refetchOnWindowFocus: false, refetchOnReconnect: false },
  })
  if (!error) return <Loading />
  return (
    <Stack align="flex-start">
      <Failure error={error} title="You are not signed in" />
      <AtProvider provider={provider} page={page} />
    </Stack>
  )
}
