import { Controller, Get } from '@nestjs/common'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import type { PropertyList } from '@connectivity/contracts/properties'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { type Admitted, AdmittedRequest, showsAnswer } from '../../admission/admitted.js'
import { Evidence } from '../production/evidence.service.js'
import { FeedFactsClient } from './feed-facts.client.js'
import { PropertyStore } from './property.store.js'
import { presentProperty } from './property.view.js'

/** GET /properties. */
@Controller(BASE_PATH)
export class PropertiesController {
  constructor(
    private readonly properties: PropertyStore,
    private readonly evidence: Evidence,
    private readonly feed: FeedFactsClient,
  ) {}

  @Get('properties')
  async list(@AdmittedRequest() admitted: Admitted): Promise<PropertyList> {
    const { credential, id } = admitted
    const only = credential.ownConnectionOnly ? credential.connectionId : null
    const assigned = await this.properties.assigned(credential.applicationId, only)
    const ids = assigned.map(({ connection_id }) => connection_id)
    const facts = await this.feed.of(ids, admitted)
    const properties = assigned.map((one) => presentProperty(one, facts.get(one.connection_id), credential.scopes))
    if (showsAnswer(admitted)) this.evidence.listed(ids, id)
    return { schema_version: SCHEMA_VERSION, properties }
  }
}
