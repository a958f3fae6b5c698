import { type DynamicModule, Global, Module } from '@nestjs/common'
import { Purging } from './purging.js'
import { Database, DATABASE_OPTIONS, type DatabaseOptions } from './database.js'

/** Gives every part of a service its `Database`, and what is to be deleted in it its time. */
@Global()
@Module({})
export class DatabaseModule {
  static with(options: DatabaseOptions): DynamicModule {
    const providers = [{ provide: DATABASE_OPTIONS, useValue: options }, Database, Purging]
    return { module: DatabaseModule, providers, exports: [Database, Purging] }
  }
}
