/** The wire definitions, under the names that they have in the OpenAPI document. */

import { type TSchema, Type } from '@sinclair/typebox';
import { keyDefinitions } from '../access/body.ts';
import { problemDefinitions } from '../answer/problem.ts';
import { processDefinitions } from '../answer/process.ts';
import { resultDefinitions } from '../answer/result.ts';
import { statisticsDefinitions } from '../answer/statistics.ts';
import { transitionAnswerDefinitions } from '../answer/transition.ts';
import { catalogBodyDefinitions } from '../catalog/body.ts';
import { lirDefinitions } from '../lir/query.ts';
import { migrationDefinitions } from '../migration/body.ts';
import { pirDefinitions } from '../pir/program.ts';

type Definitions = Readonly<Record<string, TSchema>>;

/** New names for PIR definitions. `ColumnDefault` exists twice, since PIR and the catalog endpoints have different shapes of defaults. */
const renamed: Readonly<Record<string, string>> = { ColumnDefault: 'ProgramColumnDefault' };
const unchanged: Readonly<Record<string, string>> = {};

const answers: Definitions = {
  QueryResult: Type.Unknown({
    description:
      'The result, in the shape that the root of the query selects. `many`: an array of objects. `first`: an object or null. `exactly_one`: an object. `scalar`: a value or null.',
  }),
  Text: Type.String({ description: 'Lines of text.' }),
  OpenApiDocument: Type.Object(
    { openapi: Type.String({ description: 'The version of OpenAPI.' }) },
    { description: 'An OpenAPI document.' },
  ),
};

export function components(): Readonly<Record<string, unknown>> {
  return {
    ...within(processDefinitions, unchanged),
    ...within(catalogBodyDefinitions, unchanged),
    ...within(resultDefinitions, unchanged),
    ...within(migrationDefinitions, unchanged),
    ...within(transitionAnswerDefinitions, unchanged),
    ...within(statisticsDefinitions, unchanged),
    ...within(keyDefinitions, unchanged),
    ...within(problemDefinitions, unchanged),
    ...within(answers, unchanged),
    ...within(pirDefinitions, renamed),
    ...within(lirDefinitions, unchanged),
  };
}

function within(
  definitions: Definitions,
  names: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => [
      names[name] ?? name,
      referring(schema, names),
    ]),
  );
}

/** Returns the schema with references to components instead of definitions. */
function referring(schema: unknown, names: Readonly<Record<string, string>>): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key !== '$ref' || typeof value !== 'string') return value;
    const name = value.slice(value.lastIndexOf('/') + 1);
    return `#/components/schemas/${names[name] ?? name}`;
  });
}
