/** Names of the columns of a result that the statement does not name. */

import type { Node, SubLink } from 'libpg-query';
import { nameParts, opened } from './nodes.ts';

/** Returns the name that PostgreSQL gives to a column; `undefined` if it is `?column?`. */
export function nameOf(node: Node): string | undefined {
  return named(node).name;
}

interface Named {
  readonly name: string | undefined;
  /** Whether another name is preferred. For example, the name of a cast column is preferred to the name of the type. */
  readonly isWeak?: boolean;
}

const fixed: Readonly<Record<string, string>> = {
  CoalesceExpr: 'coalesce',
  A_ArrayExpr: 'array',
  RowExpr: 'row',
  GroupingFunc: 'grouping',
};

function named(node: Node): Named {
  const [kind] = opened(node);
  const content = Object.values(node)[0] as Record<string, unknown>;
  switch (kind) {
    case 'ColumnRef':
      return { name: nameParts(content['fields'] as Node[]).findLast((part) => part !== '*') };
    case 'A_Indirection':
    case 'CollateClause':
      return named(content['arg'] as Node);
    case 'FuncCall':
      return { name: nameParts(content['funcname'] as Node[]).at(-1) };
    case 'A_Expr':
      return { name: content['kind'] === 'AEXPR_NULLIF' ? 'nullif' : undefined };
    case 'MinMaxExpr':
      return { name: content['op'] === 'IS_GREATEST' ? 'greatest' : 'least' };
    case 'SQLValueFunction':
      return { name: sessionName(content['op'] as string) };
    case 'TypeCast': {
      const inner = named(content['arg'] as Node);
      if (inner.name !== undefined && !inner.isWeak) return inner;
      const type = content['typeName'] as { names?: Node[] };
      return { name: nameParts(type.names).at(-1), isWeak: true };
    }
    case 'CaseExpr': {
      const otherwise = content['defresult'] as Node | undefined;
      const inner = otherwise === undefined ? { name: undefined } : named(otherwise);
      return inner.name !== undefined && !inner.isWeak ? inner : { name: 'case', isWeak: true };
    }
    case 'SubLink':
      return subqueryName(content as SubLink);
    default:
      return { name: fixed[kind] };
  }
}

function sessionName(op: string): string {
  const name = op
    .replace(/^SVFOP_/, '')
    .replace(/_N$/, '')
    .toLowerCase();
  return name;
}

function subqueryName({ subLinkType, subselect }: SubLink): Named {
  if (subLinkType === 'EXISTS_SUBLINK') return { name: 'exists' };
  if (subLinkType === 'ARRAY_SUBLINK') return { name: 'array' };
  if (subLinkType !== 'EXPR_SUBLINK' || subselect === undefined) return { name: undefined };
  const stmt = 'SelectStmt' in subselect ? subselect.SelectStmt : {};
  const [first] = leftmost(stmt).targetList ?? [];
  if (first === undefined) return { name: stmt.valuesLists ? 'column1' : undefined };
  const target = 'ResTarget' in first ? first.ResTarget : {};
  if (target.name !== undefined) return { name: target.name };
  // The column of the subquery has a name, so that it is not weak.
  return { name: (target.val && named(target.val).name) ?? '?column?' };
}

function leftmost<Stmt extends { larg?: Stmt }>(stmt: Stmt): Stmt {
  return stmt.larg === undefined ? stmt : leftmost(stmt.larg);
}
