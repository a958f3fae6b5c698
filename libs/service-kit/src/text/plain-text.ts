const LOOPBACK = /^(localhost|127(\.\d+){3}|\[?::1\]?)$/

/** Whether an address (URL or host:port) is on this machine, so that traffic to it cannot be intercepted. */
export function isThisMachine(address: string): boolean {
  const host = URL.canParse(address) ? new URL(address).hostname : ''
  return LOOPBACK.test(host === '' ? address.replace(/:\d+$/, '') : host)
}

/** @returns a caution when the URL has the unprotected scheme and leads to another machine */
export const plainUrlCaution = (
  key: string,
  url: string,
  plain: 'http' | 'redis',
  secure: 'https' | 'rediss',
): string[] =>
  url.startsWith(`${plain}:`) && !isThisMachine(url)
    ? [`${key} is not protected by TLS: set a ${secure}:// address`]
    : []
