/** Determines which table columns affect the result of a query (docs/pir.md, "Inputs of a tag"). The access paths of the plan do not matter. */

import type { Steps, YieldPolicy } from '#base';
import { inputsOf, nodeOf, type Query } from '#lir';
import type {
  BoundBinding,
  BoundExpression,
  BoundOrder,
  BoundQuery,
  BoundReference,
  BoundRelation,
  BoundScan,
} from '../bind/bound.ts';
import { operandsOf } from '../bind/operands.ts';
import { expressionsOf } from './tree.ts';

/** Schema ids of columns, by the schema id of their table. Each table in the query has an entry. The entry is empty if the query only counts rows. */
export type ColumnsUsed = ReadonlyMap<number, ReadonlySet<number>>;

/**
 * Returns the columns that the document names, and all columns of rows that it returns or compares as a whole. The tie-breakers of an order are left out:
 * they are key columns of the rows, and no schema change can replace a key.
 */
export function* columnsUsed(
  document: Query,
  query: BoundQuery,
  pace: YieldPolicy,
): Steps<ColumnsUsed> {
  const search = new Search(document);
  search.useAll(query.root);
  yield* search.walk(query.root, pace);
  for (const binding of query.bindings) yield* search.walkBinding(binding, pace);
  // A binding refers only to earlier bindings.
  for (const binding of query.bindings.toReversed()) search.passOn(binding);
  return search.found();
}

class Search {
  private readonly document: Query;
  /** Bound ids of the used columns. */
  private readonly used = new Set<number>();
  private readonly scans: BoundScan[] = [];
  private readonly references = new Map<string, BoundReference[]>();

  constructor(document: Query) {
    this.document = document;
  }

  useAll({ columns }: BoundRelation): void {
    for (const { id } of columns) this.used.add(id);
  }

  *walk(start: BoundRelation, pace: YieldPolicy): Steps<void> {
    const open: BoundRelation[] = [start];
    for (let relation = open.pop(); relation !== undefined; relation = open.pop()) {
      const wait = pace.pause(relation.columns.length);
      if (wait !== undefined) yield wait;
      this.look(relation);
      for (const expression of this.expressionsOf(relation)) this.useIn(expression, open);
      for (const input of inputsOf(relation)) open.push(input);
    }
  }

  *walkBinding(binding: BoundBinding, pace: YieldPolicy): Steps<void> {
    if (binding.kind === 'derived') return yield* this.walk(binding.relation, pace);
    for (const body of [binding.anchor, binding.step]) {
      this.useAll(body);
      yield* this.walk(body, pace);
    }
  }

  /** Marks a column of the binding's relation as used if a reference to the binding uses it. */
  passOn(binding: BoundBinding): void {
    if (binding.kind !== 'derived') return;
    for (const { columns } of this.references.get(binding.name) ?? []) {
      columns.forEach(({ id }, place) => {
        const column = binding.relation.columns[place];
        if (column !== undefined && this.used.has(id)) this.used.add(column.id);
      });
    }
  }

  found(): ColumnsUsed {
    const found = new Map<number, Set<number>>();
    for (const { table, columns } of this.scans) {
      const ids = found.get(table.id) ?? new Set();
      found.set(table.id, ids);
      table.columns.forEach((column, place) => {
        if (this.used.has(columns[place]?.id as number)) ids.add(column.id);
      });
    }
    return found;
  }

  private look(relation: BoundRelation): void {
    switch (relation.kind) {
      case 'scan':
        this.scans.push(relation);
        return;
      case 'reference': {
        const { name } = relation.source;
        const references = this.references.get(name) ?? [];
        this.references.set(name, references);
        references.push(relation);
        return;
      }
      case 'distinct':
      case 'concatenate':
      case 'intersect':
      case 'except':
        for (const input of inputsOf(relation)) this.useAll(input);
        return;
      default:
    }
  }

  private expressionsOf(relation: BoundRelation): readonly BoundExpression[] {
    return relation.kind === 'order' ? this.termsOf(relation) : expressionsOf(relation);
  }

  /** Returns the terms that the document contains. The bound order appends its tie-breakers to them. */
  private termsOf(relation: BoundOrder): readonly BoundExpression[] {
    const node = nodeOf(this.document, relation.node);
    const written = node?.kind === 'order' ? node.terms.length : relation.terms.length;
    return expressionsOf(relation).slice(0, written);
  }

  private useIn(expression: BoundExpression, relations: BoundRelation[]): void {
    const open: BoundExpression[] = [expression];
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      if (part.kind === 'column') this.used.add(part.id);
      else if (part.kind === 'crossing') {
        if (part.crossing !== 'exists') this.useAll(part.relation);
        relations.push(part.relation);
      } else open.push(...operandsOf(part));
    }
  }
}
