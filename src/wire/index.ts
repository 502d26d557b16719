/**
 * Wire: the public contract, consisting of the TypeBox schemas of requests and responses, and the checks of requests.
 *
 * Terms: A definition is a named schema. `compileDefinition` compiles definitions into checks, so that svc enforces the same schemas that it
 * publishes in `schemas/`. A report collects the findings of one check. A violation is the error that contains them.
 *
 * Invariants: The tag of a union selects the variant before anything else is checked, so findings name the invalid member. A checked document
 * is a `Program` or a `Query` without conversion. Checks throw only `DatabaseError`, for any JSON.
 *
 * Start reading at `lir/query.ts` for a grammar, `check/compile.ts` for the compiler, `pir/check.ts` for the order of checks.
 */

export { checkKeyRequest, checkKeyRotation } from './access/check.ts';
export { resultDefinitions } from './answer/result.ts';
export { catalogBodyDefinitions } from './catalog/body.ts';
export {
  checkColumnDefinition,
  checkColumnUpdate,
  checkIndexDefinition,
  checkTableDefinition,
  checkTableUpdate,
} from './catalog/check.ts';
export { generateSchemas } from './generate.ts';
export { checkQuery, checkQuerySteps } from './lir/check.ts';
export { lirDefinitions } from './lir/query.ts';
export { migrationDefinitions } from './migration/body.ts';
export {
  checkCompatibilityRequest,
  checkMigrateRequest,
  checkSchemaRequest,
} from './migration/check.ts';
export { openApiDocument } from './openapi/document.ts';
export { type OperationNeeds, queryType } from './openapi/operation.ts';
export { operations } from './openapi/operations.ts';
export { httpPage } from './openapi/page.ts';
export { checkProgram, checkProgramSteps } from './pir/check.ts';
export { pirDefinitions } from './pir/program.ts';
export { ProgramTemplate } from './template/program-template.ts';
export { TemplateTrie } from './template/template-trie.ts';
