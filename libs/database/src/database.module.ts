import { type DynamicModule, Global, Module } from '@nestjs/common'
import { Purging } from './purging.js'
import { Database, DATABASE_OPTIONS, type DatabaseOptions } from './database.js'

/** Provides every part of a service with its `Database` and the loop that deletes expired rows. */
@Global()
@Module({})
export class DatabaseModule {
  static with(options: DatabaseOptions): DynamicModule {
    const providers = [{ provide: DATABASE_OPTIONS, useValue: options }, Database, Purging]
    return { module: DatabaseModule, providers, exports: [Database, Purging] }
  }
}
