import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common'
import { type ErrorDetail, ServiceError } from '@connectivity/contracts/errors'
import { plainToInstance } from 'class-transformer'
import { type ValidationError, validateSync } from 'class-validator'
import { accepts } from './body-acceptance.js'
import { pointerStep } from './json-pointer.js'

/** Unknown values are forbidden by class-validator unless told otherwise: classes without fields, to it. */
const CHECKS = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false }

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
 * @param value undefined when there was no body, which is as good as one without fields
 * @throws ServiceError 400 `invalid_request` with a detail for each fault
 */
export function readBody<T extends object>(shape: new () => T, value: unknown): T {
  const body = value === undefined ? {} : value
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw malformed([detail('', 'invalid_value', 'The body must be a JSON object.')])
  if (accepts(shape, body)) return Object.setPrototypeOf(body, shape.prototype as object) as T
  const instance = plainToInstance(shape, body)
  const faults = validateSync(instance, CHECKS)
  if (faults.length > 0) throw malformed(faults.flatMap((fault) => details(fault, '')))
  return instance
}

const detail = (pointer: string, code: string, message: string): ErrorDetail => ({ pointer, code, message })

const malformed = (found: ErrorDetail[]): ServiceError =>
  new ServiceError('invalid_request', `The body is not accepted: ${found[0]!.message}`, {
    details: found,
  })

function details(fault: ValidationError, parent: string): ErrorDetail[] {
  const pointer = parent + pointerStep(fault.property)
  const own = brokenRule(fault.constraints).map(([rule, message]) => {
    if (rule === 'whitelistValidation') return detail(pointer, 'unknown_field', `${pointer} is not a known field.`)
    return detail(pointer, fault.value === undefined ? 'missing' : 'invalid_value', `${pointer}: ${message}.`)
  })
  // class-validator looks into an object where a list should be, as if it were an element.
  const isAnotherKind = own.length > 0 && !Array.isArray(fault.value)
  const children = isAnotherKind ? [] : (fault.children ?? [])
  return [...own, ...children.flatMap((child) => details(child, pointer))]
}

/** At most one. What is no list breaks the rules about a list's length and elements too, which would help nobody. */
function brokenRule(broken: Record<string, string> = {}): [rule: string, message: string][] {
  const rules = Object.entries(broken)
  return [rules.find(([rule]) => rule === 'isArray') ?? rules[0]].filter((rule) => rule !== undefined)
}
