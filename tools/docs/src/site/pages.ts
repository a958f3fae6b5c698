/** A page of the site: a Markdown file below `docs/guides`. */
export interface Page {
  /** Name of the file without `.md`; the address below `/docs/`. */
  name: string
  /** Title in the menu. */
  title: string
}

/** Menu of the site, chapter by chapter. */
export const chapters: { title: string; pages: Page[] }[] = [
  {
    title: 'Start',
    pages: [
      { name: 'index', title: 'Overview' },
      { name: 'quick-start', title: 'Quick start' },
      { name: 'signing', title: 'Signing requests' },
    ],
  },
  {
    title: 'Guides',
    pages: [
      { name: 'polling', title: 'Pulling reservations' },
      { name: 'waiting', title: 'Wait instead of poll' },
      { name: 'proving', title: 'Proving completeness' },
      { name: 'status', title: 'Delivery status' },
      { name: 'mapping', title: 'Mapping' },
      { name: 'ari', title: 'Availability and rates' },
      { name: 'events', title: 'Events' },
      { name: 'requests', title: 'Requests and timelines' },
      { name: 'local-callbacks', title: 'Try callbacks on your machine' },
      { name: 'pilot', title: 'Pilot and production' },
      { name: 'clients', title: 'Generate a client' },
      { name: 'portal', title: 'The portal' },
    ],
  },
  {
    title: 'Reference',
    pages: [
      { name: 'errors', title: 'Errors' },
      { name: 'limits', title: 'Limits' },
      { name: 'changelog', title: 'Changelog' },
    ],
  },
]

/** The first page of the reference, which needs a session. */
export const REFERENCE = { title: 'All calls', link: '/reference/' }
