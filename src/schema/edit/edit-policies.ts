/** Edits the section `policies` of a schema file. If only names have changed, every other byte of the section stays the same. */

import { isMap, isScalar, parseDocument } from 'yaml';
import { isSamePolicies, type Table, tableByName } from '#catalog';
import { sourceOf } from '../file/decode.ts';
import { readSchema } from '../file/parse.ts';
import type { FilePolicies } from '../file/policy/file-policies.ts';
import { spotOfPart } from '../file/policy/file-policies.ts';
import { renderSection } from '../file/policy/render-policies.ts';
import { referencesIn } from '../file/policy/walk-condition.ts';
import { withPolicyIds } from '../merge/merge-policies.ts';
import { yamlScalar } from '../yaml-text.ts';
import type { Edit } from './edit.ts';
import { columnNamesAfter, tableNameAfter } from './rename-references.ts';
import type { Splice } from './splice.ts';

/** Returns the changes of the text; `undefined` if the section cannot be edited. */
export function editPolicies(text: string, edit: Edit): readonly Splice[] | undefined {
  const { policies, after, renumbering } = edit;
  const { before, after: wanted } = policies;
  if (typeof before === 'object' && typeof wanted === 'object') {
    if (isSamePolicies(withPolicyIds(before, renumbering), wanted)) return renamed(text, edit);
  } else if (before === wanted) return [];
  const section = renderSection(after, wanted);
  const { contents } = parseDocument(text, { intAsBigInt: true });
  if (!isMap(contents) || contents.flow) return undefined;
  const pair = contents.items.find(({ key }) => isScalar(key) && key.value === 'policies');
  const from = isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
  if (pair === undefined) {
    const lead = text.endsWith('\n') ? '' : '\n';
    return [{ from: text.length, to: text.length, text: lead + section }];
  }
  const { range } = (pair.value ?? {}) as { readonly range?: readonly [number, number, number] };
  if (from === undefined || range === undefined) return undefined;
  const to = text[range[1] - 1] === '\n' ? range[1] : lineEnd(text, range[1]);
  return [{ from, to, text: section }];
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

/** Returns a splice for each name that differs afterwards. */
function renamed(text: string, edit: Edit): readonly Splice[] | undefined {
  const source = sourceOf('edited', text);
  const { content } = readSchema(text, source);
  if (typeof content?.policies !== 'object') return undefined;
  // A byte order mark is not part of the source.
  const shift = text.length - source.text.length;
  return namesIn(content.policies).flatMap(({ spot, table, column }) => {
    const former = tableByName(edit.before, table);
    if (former === undefined) return [];
    const name = nameAfter(edit, former, column);
    if (name === (column ?? table)) return [];
    return [{ from: spot.from + shift, to: spot.to + shift, text: yamlScalar(name) }];
  });
}

function nameAfter(edit: Edit, former: Table, column: string | undefined): string {
  return column === undefined
    ? tableNameAfter(edit, former)
    : columnNamesAfter(edit, former)(column);
}

function namesIn({ tables }: FilePolicies) {
  return tables.flatMap(({ table: { value, spot }, rules }) => [
    { spot, table: value, column: undefined },
    ...rules.flatMap((rule) => {
      if (typeof rule.rule !== 'object') return [];
      return referencesIn(rule.rule, value).map(({ pointer, table, column }) => ({
        spot: spotOfPart(rule, pointer),
        table,
        column,
      }));
    }),
  ]);
}
