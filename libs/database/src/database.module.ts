import { type DynamicModule, Global, Module } from '@nestjs/common'
import { Database, DATABASE_OPTIONS, type DatabaseOptions } from './database.js'

/** Gives every part of a service its `Database`. */
@Global()
@Module({})
export class DatabaseModule {
  static with(options: DatabaseOptions): DynamicModule {
    const providers = [{ provide: DATABASE_OPTIONS, useValue: options }, Database]
    return { module: DatabaseModule, providers, exports: [Database] }
  }
}
