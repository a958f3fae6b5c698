export { LiveCache } from './live-cache.js'
export { NotificationChannel } from './notification-channel.js'
export { listen, notify } from './notifications.js'
export { StreamedChannel } from './streamed-channel.js'
