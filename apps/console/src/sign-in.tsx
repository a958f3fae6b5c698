import { Page, Panel } from '@connectivity/ui/page'
import { Failure } from '@connectivity/ui/states'
import { Button, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { signIn } from './session.ts'

/** Stands at every address before the sign-in, and leads to its page afterwards. */
export function SignIn() {
  const client = useQueryClient()
  const [token, setToken] = useState('')
  const attempt = useMutation({ mutationFn: () => signIn(client, token) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    attempt.mutate()
  }
  return (
    <Page title="Sign in">
      <Panel>
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
            <Button type="submit" loading={attempt.isPending}>
              Sign in
            </Button>
          </Stack>
        </form>
      </Panel>
    </Page>
  )
}
