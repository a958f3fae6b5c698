import 'reflect-metadata'
import { rewrapConfiguredDatabase } from '@connectivity/vault/rewrap'
import { sealedAnswers } from '@connectivity/vault/sealed-answers.store'
import { sealedCallbackSecrets } from './callbacks/sealed-callback-secrets.store.js'

await rewrapConfiguredDatabase([sealedCallbackSecrets, sealedAnswers])
