/** Binds `project`: spread columns in label order, then fields. Only the scope of the project remains visible (docs/lir.md §4). */

import type { Steps } from '#base';
import type { ProjectNode } from '#lir';
import type { BoundColumn, BoundExpression, BoundRelation } from './bound.ts';
import { quoted } from './context.ts';
import { bindCrossings } from './crossing.ts';
import { bindExpression } from './expression.ts';
import type { NodeSite } from './node-site.ts';
import type { BoundInScope } from './relation-context.ts';

export function* bindProject(at: NodeSite, node: ProjectNode): Steps<BoundInScope> {
  at.checkWidth(node.fields?.length ?? 0);
  const input = yield* at.input(node.input);
  const output = new Output(at);
  for (const label of node.spread ?? []) {
    const scope = input.scopes.get(label);
    if (scope === undefined) {
      const detail = `spread: scope ${quoted(label)} is not bound beneath this project`;
      throw at.reject('unknown_scope', detail, { scope: label });
    }
    for (const { name, id: from, type, nullable } of scope.values()) {
      output.add(name, { kind: 'column', id: from, type, nullable });
    }
  }
  for (const field of node.fields ?? []) {
    const site = at.site(`field ${field.as}`, input.scopes);
    yield* bindCrossings(site, field.expr);
    output.add(field.as, bindExpression(site, field.expr));
  }
  const { columns, fields } = output;
  const scopes = at.ownScope(columns);
  const { ordered, rowsMax } = input.relation;
  const facts = { columns, ordered, rowsMax, key: keptKey(input.relation, columns, fields) };
  const made = { node: at.id, input: input.relation, fields, ...facts };
  return { relation: { kind: 'project', ...made }, scopes, pins: undefined };
}

/** The output columns, collected under unique names. */
class Output {
  readonly columns: BoundColumn[] = [];
  readonly fields: BoundExpression[] = [];
  private readonly at: NodeSite;
  private readonly names = new Set<string>();

  constructor(at: NodeSite) {
    this.at = at;
  }

  add(name: string, field: BoundExpression): void {
    if (this.names.has(name)) {
      const detail = `duplicate column ${quoted(name)} in project`;
      throw this.at.reject('projection_collision', detail, { role: `field ${name}` });
    }
    this.names.add(name);
    const { type, nullable } = field;
    this.columns.push(this.at.context.column({ name, type, nullable }));
    this.fields.push(field);
  }
}

/** Returns the unique key of the input if all of its columns are exposed unchanged, under any name. */
function keptKey(
  input: BoundRelation,
  columns: readonly BoundColumn[],
  fields: readonly BoundExpression[],
): readonly number[] | undefined {
  if (input.key === undefined) return undefined;
  const exposed = new Map<number, number>();
  fields.forEach((field, i) => {
    if (field.kind === 'column' && !exposed.has(field.id)) {
      exposed.set(field.id, columns[i]?.id as number);
    }
  });
  const key = input.key.map((id) => exposed.get(id));
  return key.every((id) => id !== undefined) ? key : undefined;
}
