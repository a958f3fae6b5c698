import { ServiceError } from '@connectivity/contracts/errors'

/** 409: at most one connection of an application to a property in each environment. */
export const connectionExists = (): ServiceError =>
  new ServiceError(
    'connection_exists',
    'The application already has a connection to this property in this environment; use it, or close it first.',
  )
