export { readConnectionIds } from './connection-ids.js'
export { cursorIn, pageOf, type PageRequest, readFilters, readPage, readSwitch, wholeList } from './operators-page.js'
export { notFound, withSchemaVersion } from './operators-record.js'
