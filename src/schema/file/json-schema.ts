/** Generates the published JSON Schema of `svc.schema.yaml`: `schemas/svc.schema.json`. */

import { grammar, schemaIdMax } from './grammar.ts';
import { policyChoices } from './policy/policy-grammar.ts';

/** Returns the text of `schemas/svc.schema.json`. */
export function schemaFileJsonSchema(): string {
  const { schema, ...levels } = grammar;
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:svc:schema:svc.schema.json',
    title: 'svc.schema.yaml',
    ...schema,
    $defs: {
      ...levels,
      ...policyChoices,
      identifier: {
        type: 'string',
        minLength: 1,
        maxLength: 255,
        pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
        description: 'A name without control characters.',
      },
      schema_id: { type: 'integer', minimum: 1, maximum: schemaIdMax },
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
