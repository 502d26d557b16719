/** `project`: spread columns in label order, then fields; only its own scope is left (lir.md §3). */

import type { Steps } from '#base';
import type { ProjectNode } from '#lir';
import type { BoundColumn, BoundExpression, BoundRelation } from './bound.ts';
import { type BindContext, quoted } from './context.ts';
import { bindCrossings } from './crossing.ts';
import { bindExpression } from './expression.ts';
import { ownScope } from './label.ts';
import type { Bound, Place } from './place.ts';
import { bindRelation } from './relation.ts';
import { Site } from './site.ts';

export function* bindProject(
  context: BindContext,
  id: string,
  node: ProjectNode,
  place: Place,
): Steps<Bound> {
  context.checkWidth(node, id, node.fields?.length ?? 0);
  const input = yield* bindRelation(context, node.input, place);
  const output = new Output(context, id, node);
  for (const label of node.spread ?? []) {
    const scope = input.scopes.get(label);
    if (scope === undefined) {
      const detail = `spread: scope ${quoted(label)} is not bound beneath this project`;
      throw context.reject(node, 'unknown_scope', detail, { node: id, scope: label });
    }
    for (const { name, id: from, type, nullable } of scope.values()) {
      output.add(name, { kind: 'column', id: from, type, nullable });
    }
  }
  for (const field of node.fields ?? []) {
    const at = { node: id, role: `field ${field.as}` };
    const site = new Site(context, at, { scopes: input.scopes, ...place });
    yield* bindCrossings(site, field.expr);
    output.add(field.as, bindExpression(site, field.expr));
  }
  const { columns, fields } = output;
  const scopes = ownScope(context, { id, part: node }, node.scope, columns);
  const { ordered, rowsMax } = input.relation;
  const facts = { columns, ordered, rowsMax, key: keptKey(input.relation, columns, fields) };
  const relation = { kind: 'project', node: id, input: input.relation, fields, ...facts } as const;
  return { relation, scopes, pins: undefined };
}

/** Collects output columns under unique names. */
class Output {
  readonly columns: BoundColumn[] = [];
  readonly fields: BoundExpression[] = [];
  private readonly context: BindContext;
  private readonly id: string;
  private readonly node: ProjectNode;
  private readonly names = new Set<string>();

  constructor(context: BindContext, id: string, node: ProjectNode) {
    this.context = context;
    this.id = id;
    this.node = node;
  }

  add(name: string, field: BoundExpression): void {
    if (this.names.has(name)) {
      const detail = `duplicate column ${quoted(name)} in project`;
      const where = { node: this.id, role: `field ${name}` };
      throw this.context.reject(this.node, 'projection_collision', detail, where);
    }
    this.names.add(name);
    const { type, nullable } = field;
    this.columns.push(this.context.column({ name, type, nullable }));
    this.fields.push(field);
  }
}

/** The input's unique key where each of its columns is exposed unchanged, under any name. */
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
