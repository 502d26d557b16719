/** The rows that UPDATE or DELETE changes, computed by a separate statement. */

import type { Field } from '#lir';
import type { RelationalStatement } from '#pir';
import type { ScopeColumn } from '../scope/scope.ts';
import type { Compilation } from './compilation.ts';
import type { FromPart } from './join.ts';
import type { Matched } from './matched-rows.ts';
import { manyRows } from './write-program.ts';
import { field } from './write-target.ts';

/** A statement that computes the rows to change together with their partners, which RETURNING may show. */
export interface Paired {
  readonly statement: RelationalStatement;
  /** The columns of the statement that contain the fields. */
  readonly names: readonly string[];
  readonly partner: FromPart;
  /** The columns of the statement that contain the columns of the partner. */
  readonly partnerNames: ReadonlyMap<ScopeColumn, string>;
}

export function pairedRows(
  compilation: Compilation,
  { node: input, partner }: Matched,
  fields: readonly Field[],
): Paired {
  if (partner === undefined) throw new Error('a statement without FROM');
  const names = fields.map((_, i) => `c${i + 1}`);
  const columns = new Set([
    ...partner.columns,
    ...partner.tables.flatMap((table) => table.columns),
  ]);
  const partnerNames = new Map([...columns].map((one, i) => [one, `c${fields.length + i + 1}`]));
  const all = [
    ...fields.map(({ expr }, i) => field(names[i] ?? '', expr)),
    ...[...partnerNames].map(([{ expr }, as]) => field(as, expr)),
  ];
  const node = compilation.node({ kind: 'project', input, fields: all });
  const name = compilation.name('w');
  const statement = { kind: 'query', name, relation: compilation.take(manyRows(node)) } as const;
  return { statement, names, partner, partnerNames };
}
