import 'reflect-metadata'
import { rewrapConfiguredDatabase, sealedAnswers } from '@connectivity/vault'
import { sealedCredentials } from './registry/credentials/sealed-credentials.store.js'

await rewrapConfiguredDatabase([sealedCredentials, sealedAnswers])
