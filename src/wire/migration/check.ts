/** Checks of the bodies of the schema endpoints. */

import { bodyCheck } from '../check/body.ts';
import type { Definitions } from '../check/json-schema.ts';
import {
  migrationDefinitions,
  type SchemaCompatibilityBody,
  type SchemaMigrateBody,
  type SchemaRequestBody,
} from './body.ts';

const { SchemaRequest, SchemaLoss, SchemaMigrateRequest, SchemaCompatibilityRequest } =
  migrationDefinitions;
const requests: Definitions = {
  SchemaRequest,
  SchemaLoss,
  SchemaMigrateRequest,
  SchemaCompatibilityRequest,
} as Definitions;

/** Checks the body of `POST /schema/diff`. */
export const checkSchemaRequest: (json: unknown) => SchemaRequestBody = bodyCheck(
  'SchemaRequest',
  requests,
);

/** Checks the body of `POST /schema/migrate`. */
export const checkMigrateRequest: (json: unknown) => SchemaMigrateBody = bodyCheck(
  'SchemaMigrateRequest',
  requests,
);

/** Checks the body of `POST /schema/compatibility`. */
export const checkCompatibilityRequest: (json: unknown) => SchemaCompatibilityBody = bodyCheck(
  'SchemaCompatibilityRequest',
  requests,
);
