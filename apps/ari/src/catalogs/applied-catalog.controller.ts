import { Controller, Get, Req } from '@nestjs/common'
import { APPLIED_CATALOG_PATH, type AppliedCatalog } from '@connectivity/contracts/applied-catalog'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { readConnectionId } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import { INTERNAL_PATH } from '@connectivity/contracts/timeline'
import { askedConnection } from '@connectivity/service-kit/identity'
import type { FastifyRequest } from 'fastify'
import { PropertyCatalogs } from './property-catalogs.service.js'

/** Tells the gateway by which version of a connection's catalog calls are judged. */
@Controller([INTERNAL_PATH + APPLIED_CATALOG_PATH, OPERATORS_PATH + APPLIED_CATALOG_PATH])
export class AppliedCatalogController {
  constructor(private readonly catalogs: PropertyCatalogs) {}

  @Get()
  async read(@Req() request: FastifyRequest): Promise<AppliedCatalog> {
    const connectionId = askedConnection(request, readConnectionId(queryOf(request.url)))
    return { catalog_version: await this.catalogs.versionOf(connectionId) }
  }
}
