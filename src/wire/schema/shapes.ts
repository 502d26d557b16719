/** The building blocks of our TypeBox schemas. All objects are closed; every name has at least one character. */

import { type TProperties, type TSchema, Type } from '@sinclair/typebox';

/** An object without members other than these. */
export function closed<P extends TProperties>(description: string, members: P, more = {}) {
  return Type.Object(members, { description, additionalProperties: false, ...more });
}

/** A non-empty string that names something. */
export function name(description: string) {
  return Type.String({ description, minLength: 1 });
}

/** The name of a catalog object (docs/schema.md): at most 255 bytes of UTF-8, no control characters. */
export function identifier(description: string) {
  return Type.String({
    description,
    minLength: 1,
    maxLength: 255,
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$',
    format: 'identifier',
  });
}

/** One of a fixed set of words. */
export function oneOf<const T extends string>(description: string, values: readonly T[]) {
  return Type.Unsafe<T>({ description, type: 'string', enum: [...values] });
}

/** The tag of a variant. */
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

/** A reference to a definition of the same document. `T` is the type of the values that it describes. */
export function ref<T = unknown>(definition: string, description?: string) {
  return Type.Unsafe<T>({
    $ref: `#/$defs/${definition}`,
    ...(description === undefined ? {} : { description }),
  });
}

/** A union of definitions, told apart by their tag. */
export function variants<T>(description: string, definitions: readonly string[]) {
  return Type.Unsafe<T>({
    description,
    anyOf: definitions.map((definition) => ({ $ref: `#/$defs/${definition}` })),
  });
}

/** An object whose member names the sender chooses; at least one. */
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

/** At least one of these members must be there. */
export function atLeastOne(...members: readonly string[]) {
  return { anyOf: members.map((member) => ({ required: [member] })) };
}

export const optional = Type.Optional;
