import '@mantine/core/styles.css'
import './global.css'
import { MantineProvider } from '@mantine/core'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { useVerbatimPath, useVerbatimSearch } from './address.ts'
import { CrashBoundary } from './crash.tsx'
import { mayPass, pauseAfter } from './request-error.ts'
import { resolver, theme } from './theme.ts'

/** Number of retries of a failed read. */
const RETRIES = 2
const LONGEST_PAUSE = 8_000
/** Time for which read data counts as current, ms. */
const FRESH_FOR = 5_000

/** The nonce under which the page may add style elements. */
const nonce = document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? ''

/** @param onError called for every read and change that fails */
const queryClient = (onError: (error: Error, client: QueryClient) => void): QueryClient => {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => onError(error, client) }),
    mutationCache: new MutationCache({ onError: (error) => onError(error, client) }),
    defaultOptions: {
      queries: {
        ...{ staleTime: FRESH_FOR, networkMode: 'always', refetchOnReconnect: true },
        retry: (failures, error) => failures < RETRIES && navigator.onLine && mayPass(error),
        retryDelay: (attempt, error) => Math.max(pauseAfter(error), Math.min(LONGEST_PAUSE, 1_000 * 2 ** attempt)),
      },
      // Offline, a change fails at once; the default would keep it and send it later.
      mutations: { retry: false, networkMode: 'always' },
    },
  })
  return client
}

/** Takes away the slash after the base: the first page is `/portal`, not `/portal/`. */
const withoutSlash = (base: string, address: string): string => address.replace(new RegExp(`^${base}/(?=\\?|$)`), base)

/**
 * Shows an application in the page's element `root`.
 * @param base path under which it is served, such as `/portal`
 * @param onError called for every read and change that fails
 */
export function startApplication(
  base: string,
  content: ReactNode,
  onError: (error: Error, client: QueryClient) => void,
): void {
  setNonce(nonce)
  createRoot(document.getElementById('root')!).render(
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolver}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient(onError)}>
        <Router
          base={base}
          hook={useVerbatimPath}
          searchHook={useVerbatimSearch}
          hrefs={(href) => withoutSlash(base, href)}
          aroundNav={(navigate, to, options) => navigate(withoutSlash(base, to), options)}
        >
          <CrashBoundary>{content}</CrashBoundary>
        </Router>
      </QueryClientProvider>
    </MantineProvider>,
  )
}
