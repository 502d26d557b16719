/**
 * The schema in one file: what `svc.schema.yaml` says, and how a database gets there.
 *
 * Nouns: a *source* is the text of a file, a *diagnostic* what is wrong at one place of it; a parsed file is a catalog like any other, made for
 * comparing (its physical ids mean nothing). A file is read whole: every error is found at once, at its line and column.
 *
 * Nothing here throws for what a file contains. Start with `file/parse.ts`; the grammar is `file/grammar.ts`.
 */

export { type Diagnostic, diagnosticExcerpt, diagnosticLine } from './file/diagnostic.ts';
export { schemaFileJsonSchema } from './file/json-schema.ts';
export { type ParsedSchema, parseSchema } from './file/parse.ts';
export { renderSchema } from './file/render.ts';
export type { Source, Spot } from './file/source.ts';
