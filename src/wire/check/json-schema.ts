/** The part of JSON Schema (draft 2020-12) that our schemas use and that `compile` understands. */

export interface JsonSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly string[];
  /** Of a union: its variants, told apart by `kind` or `type`. Of an object: sets of members, one of which must be there. */
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: { readonly minLength?: number };
  readonly minProperties?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** `int64` widens an integer to its whole range; `identifier` is a catalog name (docs/schema.md). */
  readonly format?: string;
  /** `base64` is checked as a payload: canonical and padded. */
  readonly contentEncoding?: string;
}

export type Definitions = Readonly<Record<string, JsonSchema>>;

/** The definition that a `#/$defs/…` reference names. */
export function definitionName(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}
