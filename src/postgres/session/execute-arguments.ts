/** Evaluates the arguments of EXECUTE, which may be expressions. */

import type { Node } from 'libpg-query';
import {
  readText,
  type SqlColumn,
  type SqlStatement,
  type SqlType,
  type SqlValue,
  sqlError,
} from '#sql';
import type { Scalar } from '#value';
import { nestedIn, type Prepared } from './prepared.ts';
import type { Programs } from './programs.ts';
import type { SessionContext } from './session-context.ts';

/** Returns the values of the parameters. The arguments are computed as a query of one row. */
export async function executeArguments(
  session: SessionContext,
  programs: Programs,
  { name, arguments: nodes }: Extract<SqlStatement, { kind: 'execute' }>,
  types: readonly SqlType[],
  outer: Prepared,
): Promise<readonly SqlValue[]> {
  if (nodes.length !== types.length) {
    throw sqlError('42601', `wrong number of parameters for prepared statement "${name}"`, {
      detail: `Expected ${types.length} parameters but got ${nodes.length}.`,
    });
  }
  if (nodes.length === 0) return [];
  const source = nestedIn(outer, { kind: 'program', node: queryOf(nodes) });
  const outcome = await programs.run(source, [], []);
  outcome.held?.close();
  const { columns = [], rows = [] } = outcome.result ?? {};
  return types.map((type, i) =>
    valueAs(session, type, columns[i] as SqlColumn, rows[0]?.[i] as Scalar),
  );
}

function queryOf(nodes: readonly Node[]): Node {
  const targetList = nodes.map((val) => ({ ResTarget: { val } }));
  return { SelectStmt: { targetList, limitOption: 'LIMIT_OPTION_DEFAULT', op: 'SETOP_NONE' } };
}

/** Converts the value of an argument to the type of the parameter, as an assignment does. */
function valueAs(
  session: SessionContext,
  wanted: SqlType,
  { type }: SqlColumn,
  value: Scalar,
): SqlValue {
  if (value === null) return null;
  if (type.stored === 'text' && wanted.stored !== 'text')
    return readText(wanted, value as string, session.textSetting);
  if (type.stored === wanted.stored) return value;
  if (type.stored === 'int64' && wanted.stored === 'float64') return Number(value);
  throw sqlError(
    '42804',
    `argument of type ${type.name} does not fit a parameter of type ${wanted.name}`,
    {
      hint: 'Rewrite or cast the expression.',
    },
  );
}
