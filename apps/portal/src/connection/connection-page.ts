import type { Property } from '../api/properties.ts'

/** Props of every page about one connection. */
export interface ConnectionPageProps {
  property: Property
}
