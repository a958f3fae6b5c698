import { browserApplication } from '@connectivity/ui/browser-application'

export default browserApplication('/console')
