/** Building blocks of the TypeBox schemas. All objects are closed; every name has at least one character. */

import { type TProperties, type TSchema, Type } from '@sinclair/typebox';

/** Returns the schema of an object that has no members other than these. */
export function closed<P extends TProperties>(description: string, members: P, more = {}) {
  return Type.Object(members, { description, additionalProperties: false, ...more });
}

/** Returns the schema of a non-empty string that names something. */
export function name(description: string) {
  return Type.String({ description, minLength: 1 });
}

/** Returns the schema of the name of a catalog object (docs/schema.md): at most 255 bytes of UTF-8, no control characters. */
export function identifier(description: string) {
  return Type.String({
    description,
    minLength: 1,
    maxLength: 255,
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$',
    format: 'identifier',
  });
}

/** Returns the schema of one string of a fixed set. */
export function oneOf<const T extends string>(description: string, values: readonly T[]) {
  return Type.Unsafe<T>({ description, type: 'string', enum: [...values] });
}

/** Returns the schema of the tag of a variant. */
export function tag<const T extends string>(value: T, description?: string) {
  return Type.Literal(value, description === undefined ? {} : { description });
}

export function list<T extends TSchema>(description: string, items: T, minItems = 0) {
  return Type.Array(items, { description, ...(minItems > 0 ? { minItems } : {}) });
}

export function distinctNames(description: string, minItems = 0) {
  const items = Type.String({ minLength: 1 });
  return Type.Array(items, {
    description,
    uniqueItems: true,
    ...(minItems > 0 ? { minItems } : {}),
  });
}

/** Returns a reference to a definition of the same document. `T` is the type of the values that the definition describes. */
export function ref<T = unknown>(definition: string, description?: string) {
  return Type.Unsafe<T>({
    $ref: `#/$defs/${definition}`,
    ...(description === undefined ? {} : { description }),
  });
}

/** Returns the schema of a union of definitions, distinguished by their tag. */
export function variants<T>(description: string, definitions: readonly string[]) {
  return Type.Unsafe<T>({
    description,
    anyOf: definitions.map((definition) => ({ $ref: `#/$defs/${definition}` })),
  });
}

/** Returns the schema of an object with at least one member, whose member names the sender chooses. */
export function mapOf<T>(description: string, definition: string) {
  return Type.Unsafe<Record<string, T>>({
    description,
    type: 'object',
    minProperties: 1,
    propertyNames: { minLength: 1 },
    additionalProperties: { $ref: `#/$defs/${definition}` },
  });
}

export function int64(description: string, options: { minimum?: number } = {}) {
  return Type.Unsafe<number | bigint>({
    description,
    type: 'integer',
    format: 'int64',
    ...options,
  });
}

/** Returns the keyword that requires at least one of these members. */
export function atLeastOne(...members: readonly string[]) {
  return { anyOf: members.map((member) => ({ required: [member] })) };
}

export const optional = Type.Optional;
