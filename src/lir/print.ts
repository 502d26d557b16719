/** Queries as text for people: one line a node, inputs below their consumer and indented. Not a format to parse. */

import { unreachable } from '#base';
import { printExpression } from './print-expression.ts';
import type { Binding, Node, Query } from './query.ts';
import { crossingsOf, inputsOf, nodeOf } from './walk.ts';

/** Deeper nodes stay at this indent: a chain of thousands of nodes would otherwise print megabytes of blanks. */
const indentMax = 40;

interface Line {
  readonly id: string;
  readonly depth: number;
  /** What the consumer uses the node for, where it is more than an input. */
  readonly role: string;
}

export function printQuery(query: Query): string {
  const lines = [`${query.root.cardinality}`];
  printTree(query, query.root.node, lines);
  for (const [name, binding] of Object.entries(query.bindings ?? {})) {
    for (const [title, root] of bindingParts(name, binding)) {
      lines.push(title);
      printTree(query, root, lines);
    }
  }
  return lines.join('\n');
}

function bindingParts(name: string, binding: Binding): readonly [string, string][] {
  if (binding.kind === 'derived') return [[`binding ${name}`, binding.node]];
  return [
    [`binding ${name}, anchor`, binding.anchor],
    [`binding ${name}, step, accumulating ${binding.accumulation}`, binding.step],
  ];
}

function printTree(query: Query, root: string, lines: string[]): void {
  const open: Line[] = [{ id: root, depth: 1, role: '' }];
  for (let line = open.pop(); line !== undefined; line = open.pop()) {
    const node = nodeOf(query, line.id);
    const indent = '  '.repeat(Math.min(line.depth, indentMax));
    lines.push(`${indent}${line.role}${node === undefined ? `? ${line.id}` : describe(node)}`);
    if (node === undefined) continue;
    const depth = line.depth + 1;
    const below: Line[] = inputsOf(node).map((id) => ({ id, depth, role: '' }));
    for (const { kind, node: id } of crossingsOf(node)) {
      below.push({ id, depth, role: `${kind} ${id}: ` });
    }
    open.push(...below.reverse());
  }
}

function describe(node: Node): string {
  switch (node.kind) {
    case 'scan':
      return `scan ${node.table} as ${node.scope}`;
    case 'rows':
      return `rows (${node.columns.map(rowsColumn).join(', ')}) as ${node.scope}: ${node.rows.length}`;
    case 'filter':
      return `filter ${printExpression(node.predicate)}`;
    case 'project':
      return `project ${fieldList(node)}${label(node.scope)}`;
    case 'join':
      return `${node.join} join on ${printExpression(node.on)}`;
    case 'concatenate':
      return `concatenate as ${node.scope}`;
    case 'intersect':
    case 'except':
      return `${node.kind} ${node.quantifier} as ${node.scope}`;
    case 'aggregate':
      return `aggregate ${foldList(node)}${label(node.scope)}`;
    case 'order':
      return `order by ${node.terms.map((t) => printExpression(t.expr) + (t.desc ? ' desc' : '')).join(', ')}`;
    case 'slice':
      return `slice offset ${node.offset ?? 0}${node.limit === undefined ? '' : ` limit ${node.limit}`}`;
    case 'distinct':
      return 'distinct';
    case 'ref':
    case 'recursive_ref':
      return `${node.kind} ${node.binding} as ${node.scope}`;
    default:
      return unreachable(node);
  }
}

type Of<Kind extends Node['kind']> = Extract<Node, { readonly kind: Kind }>;

function rowsColumn(column: Of<'rows'>['columns'][number]): string {
  return `${column.name} ${column.type}${column.nullable ? '?' : ''}`;
}

function fieldList(node: Of<'project'>): string {
  const spread = (node.spread ?? []).map((scope) => `${scope}.*`);
  const fields = (node.fields ?? []).map((f) => `${f.as} = ${printExpression(f.expr)}`);
  return [...spread, ...fields].join(', ');
}

function foldList(node: Of<'aggregate'>): string {
  const folds = (node.aggs ?? []).map(
    (a) => `${a.as} = ${a.fn}(${a.arg === undefined ? '' : printExpression(a.arg)})`,
  );
  const groups = (node.groups ?? []).map(
    (g) => (g.as === undefined ? '' : `${g.as} = `) + printExpression(g.expr),
  );
  return folds.join(', ') + (groups.length === 0 ? '' : ` group by ${groups.join(', ')}`);
}

function label(scope: string | undefined): string {
  return scope === undefined ? '' : ` as ${scope}`;
}
