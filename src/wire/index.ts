/**
 * Wire: the public contract. TypeBox schemas of what is sent and answered, and the checks of what is sent.
 *
 * Nouns: a definition is a named schema; `compileDefinition` turns definitions into checks, so that what we publish in `schemas/`
 * and what we apply is the same text; a report collects the findings of one check, and a violation carries them to the sender.
 * Invariants: a union is decided by its tag first, so findings name the member that is wrong; a checked document has the type of
 * its room as it is (`Program`, `Query`); checks throw nothing but `DatabaseError`, whatever JSON they get.
 * Start reading at `lir/query.ts` for a grammar, `check/compile.ts` for the machinery, `pir/check.ts` for the order of checks.
 */

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
export { queryType } from './openapi/operation.ts';
export { operations } from './openapi/operations.ts';
export { httpPage } from './openapi/page.ts';
export { checkProgram, checkProgramSteps } from './pir/check.ts';
export { pirDefinitions } from './pir/program.ts';
export { ProgramTemplate } from './template/program-template.ts';
export { TemplateTrie } from './template/template-trie.ts';
