// A person of the lane's application in the portal.
import type { OperatorsApi } from '@connectivity/toolkit/operators-api'
import { type Answer, LINK_TOKEN, OWN_ORIGIN, type Request, SESSION_COOKIE } from '../model/request.ts'

interface PortalLink {
  portal_link_id: string
  url: string
}

const NO_SESSION = 'theme=dark'

export class PortalPerson {
  private readonly operators: OperatorsApi
  private readonly applicationId: string
  private readonly origin: string
  private link: PortalLink | null = null
  private cookie = NO_SESSION

  /** @param origin of the portal's pages */
  constructor(operators: OperatorsApi, applicationId: string, origin: string) {
    this.operators = operators
    this.applicationId = applicationId
    this.origin = origin
  }

  /** Receives an unused link; the session of the one before ends. */
  async receiveLink(): Promise<void> {
    if (this.link) await this.operators.call('POST', `/portal-links/${this.link.portal_link_id}/revoke`, {})
    const wanted = { email: 'ada@pms.example', role: 'developer' }
    this.link = await this.operators.call('POST', `/applications/${this.applicationId}/portal-links`, wanted)
    this.cookie = NO_SESSION
  }

  /** Keeps the cookie of a sign-in. */
  keepSession({ headers }: Answer): void {
    this.cookie = String(headers['set-cookie']).split(';', 1)[0]!
  }

  /** The request with the person's link and session in the place of their placeholders. */
  filled(request: Request): Request {
    const { headers, body } = request
    const token = this.link?.url.split('#')[1] ?? LINK_TOKEN
    const own: Record<string, string> = { [SESSION_COOKIE]: this.cookie, [OWN_ORIGIN]: this.origin }
    return {
      ...request,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, own[value] ?? value])),
      body: typeof body === 'string' ? body.replace(LINK_TOKEN, token) : body,
    }
  }
}
