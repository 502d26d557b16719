/** Parses a schema file into the catalog that it describes, or into all of its errors. */

import { invariant, neverYield, runWithoutWaiting, type Steps, type YieldPolicy } from '#base';
import {
  type Catalog,
  type ColumnDefinition,
  type DeclaredTable,
  declareCatalogSteps,
  type ForeignKeyDefinition,
  type Policies,
} from '#catalog';
import { DatabaseError } from '#failure';
import { checkFile } from './check-file.ts';
import { checkText, sourceOf } from './decode.ts';
import type { Diagnostic } from './diagnostic.ts';
import { readDocument } from './document.ts';
import type { FileColumn, FileForeignKey, FileTable } from './file-table.ts';
import { Findings } from './findings.ts';
import { checkPolicyTypes } from './policy/check-types.ts';
import type { FilePolicies } from './policy/file-policies.ts';
import { resolvePolicies } from './policy/resolve-policies.ts';
import { readFile, type SchemaFile } from './read-file.ts';
import { Reader } from './reader.ts';
import type { SchemaSource, Spotted } from './source.ts';
import { spelledForeignKeys, spelledIndexes, spelledPrimaryKey } from './spell.ts';

export type ParsedSchema =
  | {
      readonly kind: 'schema';
      readonly source: SchemaSource;
      /** The catalog that the file describes, for comparing, hashing and rendering. */
      readonly catalog: Catalog;
      /** The row policies, by the ids of the file; `absent` if the file does not change them, `none` if it removes them. */
      readonly policies: Policies | 'absent' | 'none';
      readonly warnings: readonly Diagnostic[];
    }
  | {
      readonly kind: 'broken';
      readonly source: SchemaSource;
      /** At least one, in the order of the file. */
      readonly errors: readonly Diagnostic[];
      readonly warnings: readonly Diagnostic[];
    };

/** The content and diagnostics of a file as plain data that can be sent between threads. */
export interface ReadSchema {
  /** `undefined` if the file has an error. */
  readonly content: SchemaContent | undefined;
  readonly found: readonly Diagnostic[];
}

interface SchemaContent {
  readonly tables: readonly DeclaredTable[];
  readonly policies: FilePolicies | 'absent' | 'none';
}

/** Parses a schema file. `name` is the file name in messages. Does not throw, whatever `content` is. */
export function parseSchema(content: string | Uint8Array, name: string): ParsedSchema {
  const source = sourceOf(name, content);
  return runWithoutWaiting(declareSchemaSteps(source, readSchema(content, source), neverYield));
}

export function readSchema(content: string | Uint8Array, source: SchemaSource): ReadSchema {
  const findings = new Findings(source);
  const file = checkText(content, findings) ? readContent(findings) : undefined;
  const isRight = file !== undefined && !findings.hasErrors;
  const { tables = [], policies = 'absent' } = file ?? {};
  return {
    content: isRight ? { tables: tables.map(tableDefinition), policies } : undefined,
    found: findings.all,
  };
}

function readContent(findings: Findings): SchemaFile | undefined {
  const root = readDocument(findings);
  if (findings.hasErrors) return undefined;
  const file = readFile(root, new Reader(findings));
  if (file !== undefined) checkFile(file, findings);
  return file;
}

export function* declareSchemaSteps(
  source: SchemaSource,
  { content, found }: ReadSchema,
  pace: YieldPolicy,
): Steps<ParsedSchema> {
  const findings = new Findings(source, found);
  const catalog = content && (yield* declare(content.tables, findings, pace));
  if (content !== undefined && catalog !== undefined) {
    const policies = yield* checkedPolicies(catalog, content.policies, findings, pace);
    const warnings = findings.of('warning');
    if (!findings.hasErrors) return { kind: 'schema', source, catalog, policies, warnings };
  }
  const warnings = findings.of('warning');
  const errors = findings.of('error');
  invariant(errors.length > 0, 'a broken file has an error');
  return { kind: 'broken', source, errors, warnings };
}

function* checkedPolicies(
  catalog: Catalog,
  given: SchemaContent['policies'],
  findings: Findings,
  pace: YieldPolicy,
): Steps<Policies | 'absent' | 'none'> {
  if (typeof given === 'string') return given;
  const policies = resolvePolicies(catalog, given);
  yield* checkPolicyTypes(catalog, policies, given, findings, pace);
  return policies;
}

/** Declares the catalog by its own rules. An error that the checks of the file have missed is reported at the start of the file. */
function* declare(
  tables: readonly DeclaredTable[],
  findings: Findings,
  pace: YieldPolicy,
): Steps<Catalog | undefined> {
  try {
    return yield* declareCatalogSteps(tables, pace);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    findings.error({ from: 0, to: 1 }, error.message);
    return undefined;
  }
}

function tableDefinition(table: FileTable): DeclaredTable {
  return {
    id: known(table.id),
    name: known(table.name),
    columns: table.columns.map(columnDefinition),
    primary_key: valuesOf(spelledPrimaryKey(table) ?? []),
    indexes: spelledIndexes(table).map(({ name, columns, unique }) => ({
      name: name.value,
      columns: valuesOf(columns),
      unique,
    })),
    foreign_keys: spelledForeignKeys(table).map(foreignKeyDefinition),
  };
}

function columnDefinition(column: FileColumn): ColumnDefinition {
  const { type, nullable, format, default: given } = column;
  invariant(type !== undefined, 'the type was read');
  return {
    id: known(column.id),
    name: known(column.name),
    type,
    nullable,
    ...(format !== undefined && { format: format.value }),
    ...(given !== undefined && { default: given.value }),
  };
}

function foreignKeyDefinition(key: FileForeignKey): ForeignKeyDefinition {
  return {
    name: known(key.name),
    columns: valuesOf(key.columns),
    ref_table: known(key.refTable),
    ref_columns: valuesOf(key.refColumns),
    on_delete: key.onDelete,
  };
}

function known<Value>(spotted: Spotted<Value> | undefined): Value {
  invariant(spotted !== undefined, 'a file without errors has all required members');
  return spotted.value;
}

function valuesOf(spotted: readonly Spotted<string>[]): readonly string[] {
  return spotted.map(({ value }) => value);
}
