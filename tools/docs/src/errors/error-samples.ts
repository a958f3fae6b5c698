import { type ErrorBody, type ErrorCode, ServiceError } from '@connectivity/contracts/errors'

/** Makes a refusal as its service does: returns or throws it. */
type Sample = () => unknown

type Samples = Partial<Record<ErrorCode, ErrorBody>>

/** Bodies of refusals as the services answer them, by code. */
export interface ErrorSamples {
  anyCall: Samples
  /** Samples of the call for access tokens, where they differ. */
  tokenCall: Samples
}

interface ErrorSamplesOfApp {
  errorSamples: readonly Sample[]
  tokenErrorSamples?: readonly Sample[]
}

const apps = ['gateway', 'catalog', 'reservation-feed', 'ari', 'event-dispatch']
const CORRELATION_ID = '0f8fad5b-d9cb-469f-a165-70867728950e'

/**
 * Makes the refusals of every service's `error-samples.ts`.
 * @param folder with the code of each app: `src` for tests, `dist` once it is built
 */
export async function readErrorSamples(folder: 'src' | 'dist'): Promise<ErrorSamples> {
  const loaded = await Promise.all(
    apps.map(async (app) => (await import(`../../../../apps/${app}/${folder}/error-samples.js`)) as ErrorSamplesOfApp),
  )
  return {
    anyCall: byCode(loaded.flatMap(({ errorSamples }) => errorSamples)),
    tokenCall: byCode(loaded.flatMap(({ tokenErrorSamples = [] }) => tokenErrorSamples)),
  }
}

/** @throws Error for two samples of one code */
function byCode(samples: readonly Sample[]): Samples {
  const refusals = Map.groupBy(samples.map(refusalOf), ({ code }) => code)
  return Object.fromEntries(
    [...refusals].map(([code, [refusal, another]]) => {
      if (another) throw new Error(`${code} has two samples: ${refusal!.message} ${another.message}`)
      return [code, refusal!.body(CORRELATION_ID)]
    }),
  )
}

function refusalOf(make: Sample): ServiceError {
  const made = resultOf(make)
  if (made instanceof ServiceError) return made
  throw new Error(`an error sample makes no refusal: ${make}`, { cause: made })
}

function resultOf(make: Sample): unknown {
  try {
    return make()
  } catch (error) {
    return error
  }
}
