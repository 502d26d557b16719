/** Which parts of a published grammar a document uses: definitions, members, and the words of enumerations. */

export interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly const?: string;
}

export type Grammar = Readonly<Record<string, Schema>>;

/** All parts, as `Definition`, `Definition.member` and `Definition.member=word`. */
export function partsOf(grammar: Grammar): ReadonlySet<string> {
  const parts = new Set<string>();
  for (const [name, schema] of Object.entries(grammar)) {
    parts.add(name);
    for (const word of schema.enum ?? []) parts.add(`${name}=${word}`);
    for (const [member, { enum: words = [] }] of Object.entries(schema.properties ?? {})) {
      parts.add(`${name}.${member}`);
      for (const word of words) parts.add(`${name}.${member}=${word}`);
    }
  }
  return parts;
}

/** Adds to `used` the parts that `value` uses as a `definition`. */
export function markUsed(
  grammar: Grammar,
  definition: string,
  value: unknown,
  used: Set<string>,
): void {
  const visit = (schema: Schema, json: unknown, path: string): void => {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.slice('#/$defs/'.length);
      used.add(name);
      const target = grammar[name];
      if (target !== undefined) visit(target, json, name);
      return;
    }
    if (schema.enum !== undefined) used.add(`${path}=${json}`);
    if (typeof json !== 'object' || json === null) return;
    const variant = schema.anyOf?.find((candidate) => isTagged(grammar, candidate, json));
    if (variant !== undefined) visit(variant, json, path);
    if (Array.isArray(json) && schema.items !== undefined) {
      for (const item of json) visit(schema.items, item, path);
    }
    for (const [member, part] of Object.entries(json)) {
      const known = schema.properties?.[member];
      if (known !== undefined) used.add(`${path}.${member}`);
      const next = known ?? schema.additionalProperties;
      if (typeof next === 'object') visit(next, part, `${path}.${member}`);
    }
  };
  visit({ $ref: `#/$defs/${definition}` }, value, definition);
}

/** Whether the tag of `json` is that of the variant; variants are references. */
function isTagged(grammar: Grammar, variant: Schema, json: object): boolean {
  const { properties = {} } = grammar[variant.$ref?.slice('#/$defs/'.length) ?? ''] ?? {};
  const members = json as Readonly<Record<string, unknown>>;
  return ['kind', 'type'].some(
    (tag) => properties[tag]?.const !== undefined && properties[tag]?.const === members[tag],
  );
}
