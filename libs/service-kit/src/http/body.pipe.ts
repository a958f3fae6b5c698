import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common'
import { type ErrorDetail, ServiceError } from '@connectivity/contracts/errors'
import { faultsOf, isObject } from './body-faults.js'

/** Checks every body against its class; unknown fields are refused and every fault is named by JSON pointer. */
@Injectable()
export class BodyPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type !== 'body' || !metatype || metatype === Object) return value
    // A Kafka batch reaches global pipes as a body too, but is an instance already.
    return value instanceof metatype ? value : readBody(metatype as new () => object, value)
  }
}

/**
 * @param value undefined when there was no body, which is treated as an empty object
 * @throws ServiceError 400 `invalid_request` with a detail for each fault
 */
export function readBody<T extends object>(shape: new () => T, value: unknown): T {
  const body = objectOf(value === undefined ? {} : value)
  const faults = faultsOf(shape, body)
  if (faults.length > 0) throw malformed(faults)
  return Object.setPrototypeOf(body, shape.prototype as object) as T
}

/** @throws ServiceError 400 `invalid_request` with one detail at `''` for a body that is not an object */
export function objectOf(body: unknown): object {
  if (isObject(body)) return body
  throw malformed([{ pointer: '', code: 'invalid_value', message: 'The body must be a JSON object.' }])
}

const malformed = (details: ErrorDetail[]): ServiceError =>
  new ServiceError('invalid_request', `The body is not accepted: ${details[0]!.message}`, { details })
