import { configurationPage, keysOfServices } from './configuration-page.js'

process.stdout.write(await configurationPage(await keysOfServices('dist')))
