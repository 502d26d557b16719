/** Generator of the published JSON Schemas. They are committed under `schemas/`, and a test fails if they differ from its output. */

import type { TSchema } from '@sinclair/typebox';
import { lirDefinitions } from './lir/query.ts';
import { openApiDocument } from './openapi/document.ts';
import { pirDefinitions } from './pir/program.ts';

/** Returns the text of each file by its name. */
export function generateSchemas(): Readonly<Record<string, string>> {
  return {
    'lir.schema.json': document('lir', 'LIR query', 'Query', lirDefinitions),
    'pir.schema.json': document('pir', 'PIR program', 'Program', pirDefinitions),
    'openapi.json': textOf(openApiDocument()),
  };
}

function document(
  id: string,
  title: string,
  root: string,
  definitions: Readonly<Record<string, TSchema>>,
): string {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:svc:schema:${id}`,
    title,
    $ref: `#/$defs/${root}`,
    $defs: definitions,
  };
  return textOf(schema);
}

function textOf(json: unknown): string {
  return `${JSON.stringify(json, null, 2)}\n`;
}
