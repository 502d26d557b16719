/** The parts from which the grammar of a schema file is composed, as JSON Schema. */

export const use = (name: string, description: string) => ({
  $ref: `#/$defs/${name}`,
  description,
});

export const flag = (description: string) => ({ type: 'boolean', default: false, description });

export const list = (name: string, description: string) => ({
  type: 'array',
  items: { $ref: `#/$defs/${name}` },
  description,
});

export const names = (description: string) => ({ ...list('identifier', description), minItems: 1 });

export function closed<const Required extends string, const Optional extends string>(
  description: string,
  required: Readonly<Record<Required, object>>,
  optional: Readonly<Record<Optional, object>>,
) {
  return {
    description,
    type: 'object',
    required: Object.keys(required) as Required[],
    properties: { ...required, ...optional } as Readonly<Record<Required | Optional, object>>,
    additionalProperties: false,
  };
}
