/** A parsed seed file: tables with their rows, and the position of each part in the file. */

import { isAlias, isMap, isScalar, isSeq, type Node, type ParsedNode, parseDocument } from 'yaml';
import { SchemaSource } from '#schema';
import { CommandFailure } from '../frame/command-failure.ts';
import { unreadable } from '../project/config.ts';
import { readAtMost } from '../project/read-file.ts';
import { jsonTrouble } from './json-trouble.ts';
import { SeedFindings, type SeedPlace } from './seed-failure.ts';

/** A value in its original notation. Numbers stay text. */
export type SeedValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'text' | 'number'; readonly value: string }
  | { readonly kind: 'other'; readonly what: string };

interface SeedCell {
  readonly column: string;
  readonly columnPlace: SeedPlace;
  readonly value: SeedValue;
  readonly place: SeedPlace;
}

interface SeedRow {
  readonly place: SeedPlace;
  readonly cells: readonly SeedCell[];
}

export interface SeedTable {
  readonly name: string;
  readonly place: SeedPlace;
  readonly rows: readonly SeedRow[];
}

export interface SeedDocument {
  readonly source: SchemaSource;
  readonly tables: readonly SeedTable[];
}

/** Maximum size of a seed file. A separate program should import larger data. */
const bytesMax = 3 * 2 ** 20;

/** Parses a seed file. `shown` is its name in messages. Throws a CommandFailure with all errors. */
export function readSeedDocument(path: string, shown: string): SeedDocument {
  const source = new SchemaSource(shown, readText(path, shown));
  const findings = new SeedFindings(source);
  const document = parseDocument(source.text, { prettyErrors: false });
  let last = -1;
  for (const error of document.errors) {
    const [from, to] = error.pos;
    // The parser reports each unclosed bracket at the same position. Only the first error counts.
    if (from !== last) findings.add({ from, to }, `not JSON: ${jsonTrouble(error)}`);
    last = from;
  }
  findings.refuse();
  const tables = tablesIn(document.contents, findings);
  findings.refuse();
  return { source, tables };
}

function tablesIn(contents: ParsedNode | null, findings: SeedFindings): SeedTable[] {
  const shape = 'expected an object of tables, each a list of rows: {"users": [{"name": "Ada"}]}';
  if (!isMap(contents)) {
    findings.add(placeOf(contents), shape);
    return [];
  }
  return contents.items.map(({ key, value }) => ({
    name: nameOf(key),
    place: placeOf(key),
    rows: rowsIn(value, placeOf(key), findings),
  }));
}

function rowsIn(node: unknown, at: SeedPlace, findings: SeedFindings): SeedRow[] {
  if (!isSeq(node)) {
    findings.add(isNode(node) ? placeOf(node) : at, 'expected the list of the rows of this table');
    return [];
  }
  return node.items.flatMap((item) => {
    const place = placeOf(item);
    if (!isMap(item)) {
      findings.add(place, 'expected a row: an object of columns with their values');
      return [];
    }
    const cells = item.items.map(({ key, value }) => ({
      column: nameOf(key),
      columnPlace: placeOf(key),
      value: seedValue(value),
      place: isNode(value) ? placeOf(value) : placeOf(key),
    }));
    return [{ place: { from: place.from, to: place.from + 1 }, cells }];
  });
}

function seedValue(node: unknown): SeedValue {
  if (node === null || node === undefined) return { kind: 'null' };
  if (isAlias(node)) return { kind: 'other', what: 'a text without quotes that begins with *' };
  if (isSeq(node)) return { kind: 'other', what: 'a list' };
  if (!isScalar(node)) return { kind: 'other', what: 'an object' };
  const { value, source } = node;
  switch (typeof value) {
    case 'string':
      return { kind: 'text', value };
    case 'boolean':
      return { kind: 'bool', value };
    case 'number':
    case 'bigint':
      return { kind: 'number', value: source ?? String(value) };
    default:
      return value === null ? { kind: 'null' } : { kind: 'other', what: typeof value };
  }
}

function nameOf(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function isNode(node: unknown): node is Node {
  return typeof node === 'object' && node !== null && 'range' in node;
}

function placeOf(node: unknown): SeedPlace {
  const range = isNode(node) ? node.range : undefined;
  return range ? { from: range[0], to: range[1] } : { from: 0, to: 1 };
}

function readText(path: string, shown: string): string {
  try {
    const bytes = readAtMost(path, bytesMax);
    if (bytes === undefined) throw tooLarge(shown);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    const isText = !(error instanceof TypeError);
    throw new CommandFailure({
      code: 'seed_unreadable',
      message: isText ? unreadable(shown, error) : `${shown} is not UTF-8 text`,
    });
  }
}

function tooLarge(shown: string): CommandFailure {
  return new CommandFailure({
    code: 'seed_unreadable',
    message: `${shown} exceeds ${bytesMax / 2 ** 20} MiB`,
    hint: 'load several files one after the other with --append, or use a script (svc.seed.ts) for any number of rows',
  });
}
