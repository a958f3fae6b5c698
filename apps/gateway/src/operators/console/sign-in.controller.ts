import { Body, Controller, Get, HttpCode, Post, Req } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { FinishSignIn, SIGN_IN_PATH } from '@connectivity/contracts/sign-in'
import { withSchemaVersion } from '@connectivity/service-kit/operators'
import type { FastifyRequest } from 'fastify'
import { CONSOLE_PATH } from '../../http/pages/console-path.js'
import { SignInProvider } from './sign-in-provider.service.js'

/** Lets operators sign in to the console at their identity provider. */
@Controller(SIGN_IN_PATH)
export class SignInController {
  constructor(private readonly provider: SignInProvider) {}

  @Get()
  async way(): Promise<object> {
    return withSchemaVersion(await this.provider.way())
  }

  /** Exchanges the provider's code for a token. */
  @Post()
  @HttpCode(200)
  async finish(@Req() request: FastifyRequest, @Body() body: FinishSignIn): Promise<object> {
    const token = await this.provider.tokenFor(ownAddress(request, body.address), body)
    return withSchemaVersion({ token })
  }
}

/**
 * Checks that the console's own page sends the address to which the provider has returned the browser.
 * @throws ServiceError 403 `cross_site_request`
 */
function ownAddress({ headers }: FastifyRequest, text: string): URL {
  const address = URL.parse(text)
  const isOwn = headers['sec-fetch-site'] === 'same-origin' && headers.origin === address?.origin
  if (isOwn && address?.pathname === `${CONSOLE_PATH}/callback`) return address
  throw new ServiceError('cross_site_request', 'Sign in with the button of the console itself, in a current browser.')
}
