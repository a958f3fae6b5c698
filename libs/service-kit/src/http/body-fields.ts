import { nestedShapeOf, trims } from '@connectivity/contracts/validation'
import { getMetadataStorage, type ValidationArguments } from 'class-validator'

/** Class of a body, whose fields class-validator's decorators describe. */
export type Shape = new () => object
type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number]

/** One rule about a field. */
export interface Rule {
  check: (value: unknown, args: ValidationArguments) => boolean
  message: (args: ValidationArguments) => string
  constraints: unknown[]
  /** Whether it applies to each element of a list. */
  each: boolean
  /** Whether it applies to the list as a whole: if it is broken, the elements are not checked. */
  isAboutWhole: boolean
  /** class-validator's name, such as `arrayMaxSize`. */
  name: string
}

/** Declaration of one field of a shape. */
export interface Field {
  name: string
  /** The rules apply only if all of these hold. */
  conditions: ((object: object, value: unknown) => boolean)[]
  /**
   * Rules about a list as a whole come first, so that a list is counted before its elements are read; then those about
   * the type, so that the fault of a wrong type names the type.
   */
  rules: Rule[]
  /** Fields of the nested object, or of each object in the list. */
  nested: { fields: Fields; isList: boolean } | null
  /** Whether white space around the text is trimmed before it is judged. */
  trims: boolean
}

/** Fields of a shape by name. */
export type Fields = ReadonlyMap<string, Field>

const known = new Map<Shape, Fields>()

/**
 * Fields of a shape by name, from class-validator's decorators, looked up once.
 * @throws Error for a declaration that cannot be judged
 */
export function fieldsOf(shape: Shape): Fields {
  const found = known.get(shape)
  if (found) return found
  const fields = new Map<string, Field>()
  for (const metadata of getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false)) {
    const name = metadata.propertyName
    const field = fields.get(name) ?? { name, conditions: [], rules: [], nested: null, trims: trims(shape, name) }
    fields.set(name, field)
    declare(field, metadata, shape)
  }
  for (const { rules } of fields.values()) rules.sort((one, other) => rank(one) - rank(other))
  known.set(shape, fields)
  return fields
}

function declare(field: Field, metadata: Metadata, shape: Shape): void {
  if (metadata.type === 'conditionalValidation')
    field.conditions.push(metadata.constraints[0] as Field['conditions'][0])
  else if (metadata.type === 'customValidation') field.rules.push(...rulesOf(metadata))
  else if (metadata.type === 'nestedValidation')
    field.nested = { fields: nestedFields(shape, field.name), isList: metadata.each }
  else throw new Error(`${metadata.type} of ${shape.name}.${field.name} cannot be judged`)
}

function nestedFields(owner: Shape, name: string): Fields {
  const shape = nestedShapeOf(owner, name)
  if (shape) return fieldsOf(shape)
  throw new Error(`declare ${owner.name}.${name} with Nested or NestedList`)
}

/** Rules about a whole list, in the order in which they are judged. */
const aboutWhole = ['isArray', 'arrayMinSize', 'arrayMaxSize']
/** Rules about the type of a value, judged next; all others follow in the order of declaration. */
const aboutType = ['isInt', 'isString', 'isBoolean', 'isObject']
const judged = [...aboutWhole, ...aboutType]
const rank = ({ name }: Rule): number => (judged.includes(name) ? judged.indexOf(name) : judged.length)

function rulesOf(metadata: Metadata): Rule[] {
  const name = metadata.name ?? ''
  const constraints = getMetadataStorage().getTargetValidatorConstraints(metadata.constraintCls)
  return constraints.map(({ instance }) => ({
    check: (value, args) => instance.validate(value, args) as boolean,
    message: (args) => filled(metadata.message || (instance.defaultMessage?.(args) ?? ''), args),
    constraints: (metadata.constraints as unknown[] | undefined) ?? [],
    each: metadata.each,
    isAboutWhole: aboutWhole.includes(name),
    name,
  }))
}

/** A message of class-validator with its placeholders filled in. */
function filled(message: Metadata['message'], args: ValidationArguments): string {
  const text = typeof message === 'function' ? message(args) : message
  return text.replace(/\$(?:property|constraint(\d+))/g, (_whole, index?: string) => {
    if (index === undefined) return args.property
    const constraint: unknown = args.constraints[Number(index) - 1]
    return Array.isArray(constraint) ? constraint.join(', ') : String(constraint)
  })
}
