/**
 * Schema: parses the schema file `svc.schema.yaml` and plans the migration of a database to it.
 *
 * Terms: A *source* is the text of a file. A *diagnostic* is an error or warning at one position of it. A parsed file is a catalog; it serves only
 * for comparison, and its physical ids are meaningless. A *step* is one difference between two catalogs with the action that resolves it. A *plan*
 * is the list of all steps in order. A *finding* is a condition in the rows: data that the plan would lose, or a reason why the plan is impossible.
 *
 * The parser reads the whole file, and the comparison covers both schemas completely, so all errors are reported together. Plans are pure. Only the
 * preflight reads rows, each table once and in bounded memory. The caller that executes a plan must ensure that the catalog has not changed since.
 *
 * Start with `file/parse.ts` and `file/grammar.ts` for the file, `diff/difference.ts` for the steps, `preflight/preflight.ts` for findings.
 */

export type { SchemaChange } from './diff/change.ts';
export { planMigration, planMigrationSteps } from './diff/plan.ts';
export { editSchema } from './edit/edit-file.ts';

export { type Diagnostic, diagnosticExcerpt, diagnosticLine } from './file/diagnostic.ts';
export { schemaFileJsonSchema } from './file/json-schema.ts';
export { type ParsedSchema, parseSchema } from './file/parse.ts';
export { SchemaReader } from './file/parse-aside.ts';
export { renderSection } from './file/policy/render-policies.ts';
export { defaultText, renderSchema } from './file/render.ts';
export { SchemaSource } from './file/source.ts';
export type { DiffFinding } from './finding.ts';
export { mergePolicies } from './merge/merge-policies.ts';
export { type MergedSchema, mergeSchemas } from './merge/merge-schemas.ts';
export { type Renumbering, withIds } from './merge/renumber.ts';
export type { DesiredPolicies } from './policy/desired-policies.ts';
export { type WholePlan, wholeProgram, withPolicies } from './policy/policy-plan.ts';
export { type MigrationPreflight, preflight } from './preflight/preflight.ts';
export {
  type MigrateRequest,
  requireAllowed,
  requirePossible,
  requireSchema,
} from './refusal.ts';
export { yamlText } from './yaml-text.ts';
