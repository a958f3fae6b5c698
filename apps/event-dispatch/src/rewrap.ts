import 'reflect-metadata'
import { rewrapConfiguredDatabase, sealedAnswers } from '@connectivity/vault'
import { sealedCallbackSecrets } from './callbacks/sealed-callback-secrets.store.js'

await rewrapConfiguredDatabase([sealedCallbackSecrets, sealedAnswers])
