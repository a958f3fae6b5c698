import { as, type ConfigKeys } from '@connectivity/service-kit/config'

/** Configuration keys of a service that has a database. */
export const databaseKeys = {
  DATABASE_URL: {
    about: "PostgreSQL address of the service's own database, with role and password.",
    read: as.url('postgres', 'postgresql'),
    secret: true,
  },
} satisfies ConfigKeys
