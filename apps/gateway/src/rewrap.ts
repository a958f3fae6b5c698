import 'reflect-metadata'
import { rewrapConfiguredDatabase } from '@connectivity/vault/rewrap'
import { sealedAnswers } from '@connectivity/vault/sealed-answers.store'
import { sealedCredentials } from './registry/credentials/sealed-credentials.store.js'

await rewrapConfiguredDatabase([sealedCredentials, sealedAnswers])
