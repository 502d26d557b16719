/**
 * Edits a schema file in place, so that it describes another schema. Unchanged parts keep their position, comments and shorthands. Only tables
 * that differ are rewritten; every other byte of the file stays the same.
 */

import { parseDocument, type YAMLMap, YAMLSeq } from 'yaml';
import { type Catalog, isSamePolicies, schemaHash, type Table, tableById } from '#catalog';
import { parseSchema } from '../file/parse.ts';
import { renderSection } from '../file/policy/render-policies.ts';
import { renderSchema, renderTable } from '../file/render.ts';
import type { Edit } from './edit.ts';
import { editPolicies } from './edit-policies.ts';
import { editTable } from './edit-table.ts';
import { renameReferences } from './rename-references.ts';
import { type Splice, spliced } from './splice.ts';

/** Returns the new text. If the edit is impossible in place, the whole file is rendered again without comments, and `isInPlace` is false. */
export function editSchema(
  text: string,
  edit: Edit,
): { readonly text: string; readonly isInPlace: boolean } {
  const edited = inLinesOf(text, (lines) => editInPlace(lines, edit));
  if (edited !== undefined && describes(edited, edit)) {
    return { text: edited, isInPlace: true };
  }
  const { after, policies } = edit;
  const rendered = renderSchema(after) + renderSection(after, policies.after);
  return { text: rendered, isInPlace: false };
}

/** Preserves the line ends of a file whose lines all end with CR LF. */
function inLinesOf(
  text: string,
  edited: (lines: string) => string | undefined,
): string | undefined {
  if (!text.includes('\r\n') || /[^\r]\n/.test(text)) return edited(text);
  return edited(text.replaceAll('\r\n', '\n'))?.replaceAll('\n', '\r\n');
}

function describes(text: string, { after, policies }: Edit): boolean {
  const parsed = parseSchema(text, 'edited');
  if (parsed.kind === 'broken' || schemaHash(parsed.catalog) !== schemaHash(after)) return false;
  const { policies: found } = parsed;
  const { after: wanted } = policies;
  return typeof found === 'object' && typeof wanted === 'object'
    ? isSamePolicies(found, wanted)
    : found === wanted;
}

function editInPlace(text: string, edit: Edit): string | undefined {
  const { before, after, renumbering } = edit;
  const document = parseDocument(text, { intAsBigInt: true });
  const tables = document.getIn(['tables']);
  if (!(tables instanceof YAMLSeq) || tables.flow || tables.items.length === 0) return undefined;
  const items = tables.items as YAMLMap[];
  const splices: Splice[] = [];
  const seen = new Set<number>();
  for (const node of items) {
    const former = tableById(before, Number(node.get('id')));
    if (former === undefined || !node.range) return undefined;
    const id = renumbering.tables.get(former.id) ?? former.id;
    seen.add(id);
    const table = tableById(after, id);
    const [from, to] = node.range;
    if (table === undefined) splices.push({ from: lineStart(text, from), to, text: '' });
    else if (change(node, edit, former, table)) {
      splices.push({ from, to, text: written(node, indentOf(text, from)) });
    }
  }
  const last = items.at(-1)?.range;
  if (!last) return undefined;
  const added = after.tables.filter(({ id }) => !seen.has(id));
  if (added.length > 0) splices.push(addition(text, last, after, added));
  const ofPolicies = editPolicies(text, edit);
  return ofPolicies && spliced(text, [...ofPolicies, ...splices]);
}

/** Edits the node of a table. Returns whether it has changed. */
function change(node: YAMLMap, edit: Edit, former: Table, table: Table): boolean {
  const renamed = renameReferences(node, edit, former);
  return editTable(node, edit, former, table) || renamed;
}

/** Returns the entry of a table without its dash, with `indent` before its members. */
function written(node: YAMLMap, indent: string): string {
  const alone = parseDocument('[]');
  const list = new YAMLSeq();
  // Comments around the entry are not replaced with it.
  node.comment = null;
  node.commentBefore = null;
  list.items.push(node);
  alone.contents = list as never;
  const lines = alone.toString({ lineWidth: 0 }).trimEnd().split('\n').map(narrowed);
  const [first = '', ...others] = lines;
  const dashed = indent.slice(2);
  return [first.slice(2), ...others.map((line) => (line === '' ? '' : dashed + line)), ''].join(
    '\n',
  );
}

/** Removes the padding of lists of words, so that they have the form of rendered files. */
function narrowed(line: string): string {
  return /["'#]/.test(line) ? line : line.replace(/\[ ([\w-]+(?:, [\w-]+)*) \]/g, '[$1]');
}

function addition(
  text: string,
  [start, end]: readonly [number, number, number],
  catalog: Catalog,
  tables: readonly Table[],
): Splice {
  const dashed = indentOf(text, start).slice(2);
  const lines = tables.flatMap((table) => renderTable(catalog, table));
  const needsBreak = text[end - 1] === '\n' ? '' : '\n';
  return {
    from: end,
    to: end,
    text: needsBreak + lines.map((line) => `${dashed}${line}\n`).join(''),
  };
}

/** Returns the spaces before the members of the entry whose first member begins at `at`. */
function indentOf(text: string, at: number): string {
  return ' '.repeat(at - lineStart(text, at));
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}
