/** The subset of JSON Schema (draft 2020-12) that the definitions use and that `compile` supports. */

export interface JsonSchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly string[];
  /** For a union, its variants, distinguished by `kind` or `type`. For an object, sets of members, at least one of which must be present. */
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
  /** Encoding of a string. `base64` must be canonical and padded; other text is reported as an error of the payload. */
  readonly contentEncoding?: string;
}

export type Definitions = Readonly<Record<string, JsonSchema>>;

/** Returns the name of the definition to which a `#/$defs/…` reference refers. */
export function definitionName(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}
