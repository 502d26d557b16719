/** Collects the scopes and actions that a program needs, while its statements are bound. */

import type { Action, Needs, Scope, TableAction } from '#access';
import type { Table } from '#catalog';
import type { Query } from '#lir';
import { isCatalog, isTransition, type Statement } from '#pir';

/** Returns the scopes of a statement: they are checked before it is bound. */
export function scopesOf(statement: Statement): readonly Scope[] {
  if (statement.kind === 'set_policies') return ['admin'];
  if (isCatalog(statement) || isTransition(statement)) return ['schema'];
  const { kind, relation } = statement;
  if (kind === 'query') return ['read'];
  // The result of an update or delete contains the old values of columns that the program does not know.
  return kind === 'create' && !hasScan(relation) ? ['write'] : ['read', 'write'];
}

function hasScan({ nodes }: Query): boolean {
  for (const id in nodes) if (nodes[id]?.kind === 'scan') return true;
  return false;
}

export class ProgramNeeds implements Needs {
  readonly scopes = new Set<Scope>();
  readonly actions: TableAction[] = [];
  /** Whether policies apply to rows that the program reads or changes. */
  isPoliced = false;

  needScopes(scopes: readonly Scope[]): void {
    for (const scope of scopes) this.scopes.add(scope);
  }

  reads(table: Table): void {
    this.act(table, 'read');
  }

  changes(table: Table, action: Exclude<Action, 'read'>): void {
    if (action !== 'create') this.act(table, 'read');
    this.act(table, action);
  }

  private act(table: Table, action: Action): void {
    const isKnown = this.actions.some((one) => one.table.id === table.id && one.action === action);
    if (!isKnown) this.actions.push({ table, action });
  }
}
