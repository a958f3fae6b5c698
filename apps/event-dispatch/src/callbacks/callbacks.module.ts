import { Module } from '@nestjs/common'
import { purge } from '@connectivity/database'
import { PreparedMutations } from '@connectivity/mutations'
import { BacklogModule } from '../backlog/backlog.module.js'
import { SendingModule } from '../sending/sending.module.js'
import { CallbackChanges } from './callback-changes.service.js'
import { CallbackOperationsController } from './callback-operations.controller.js'
import { CallbackRegistration } from './callback-registration.service.js'
import { CallbackSender } from './callback-sender.service.js'
import { CallbackHealthStore } from './callback-health.store.js'
import { CallbackSuspension } from './callback-suspension.service.js'
import { CallbackStore } from './callback.store.js'
import { CallbacksController } from './callbacks.controller.js'
import { DiagnoseCallbackService } from './diagnose-callback.service.js'
import { EndedCallbackSecretsStore } from './ended-callback-secrets.store.js'
import { SentEventStore } from './sent-event.store.js'
import { DeliveryOperationsController } from './delivery-operations.controller.js'
import { UndeliveredStore } from './undelivered.store.js'

/** Callbacks as partners register and change them, and as operators see them. */
@Module({
  imports: [BacklogModule, SendingModule],
  controllers: [CallbacksController, CallbackOperationsController, DeliveryOperationsController],
  providers: [
    ...[
      CallbackStore,
      CallbackHealthStore,
      UndeliveredStore,
      EndedCallbackSecretsStore,
      SentEventStore,
      CallbackSender,
    ],
    ...[CallbackRegistration, CallbackChanges, CallbackSuspension, DiagnoseCallbackService, PreparedMutations],
    purge('ended callback secrets', EndedCallbackSecretsStore, (store) => store.purge()),
  ],
})
export class CallbacksModule {}
