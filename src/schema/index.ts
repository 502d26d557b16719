/**
 * The schema in one file: what `svc.schema.yaml` says, and how a database gets there.
 *
 * Nouns: a *source* is the text of a file, a *diagnostic* what is wrong at one place of it; a parsed file is a catalog like any other, made for
 * comparing (its physical ids mean nothing). A *step* is one difference between two catalogs with what is done about it, a *plan* all steps in
 * order, a *finding* what the rows say to a plan: something that would be lost, or that makes it impossible.
 *
 * A file is read whole, and two schemas are compared whole: everything wrong is told at once. Plans are pure; only the preflight reads rows,
 * each table once and in bounded memory. The caller that carries a plan out guards that the catalog is the one it was made for.
 *
 * Start with `file/parse.ts` and `file/grammar.ts` for the file, `diff/difference.ts` for the steps, `preflight/preflight.ts` for findings.
 */

export type { SchemaChange } from './diff/change.ts';
export { type MigrationPlan, planMigration, planMigrationSteps } from './diff/plan.ts';
export { editSchema } from './edit/edit-file.ts';

export { type Diagnostic, diagnosticExcerpt, diagnosticLine } from './file/diagnostic.ts';
export { schemaFileJsonSchema } from './file/json-schema.ts';
export { type ParsedSchema, parseSchema } from './file/parse.ts';
export { SchemaReader } from './file/parse-aside.ts';
export { defaultText, renderSchema } from './file/render.ts';
export { Source } from './file/source.ts';
export type { SchemaFinding } from './finding.ts';
export { type MergedSchema, mergeSchemas } from './merge/merge-schemas.ts';
export { type Renumbering, withIds } from './merge/renumber.ts';
export { type Preflight, preflight } from './preflight/preflight.ts';
export {
  type MigrateRequest,
  requireAllowed,
  requirePossible,
  requireSchema,
} from './refusal.ts';
export { yamlText } from './yaml-text.ts';
