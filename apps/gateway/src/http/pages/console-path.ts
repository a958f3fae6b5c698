/** Path of the console's pages, on the private listener. */
export const CONSOLE_PATH = '/console'
