/** The modes of a transaction, as BEGIN and SET TRANSACTION give them. */

import type { Node } from 'libpg-query';
import { sqlError } from '../sql-error.ts';
import type { IsolationName, TransactionModes } from '../statement.ts';
import { constantText } from './node.ts';

const isolations: readonly IsolationName[] = [
  'serializable',
  'repeatable read',
  'read committed',
  'read uncommitted',
];

/** DEFERRABLE has no effect: a transaction that only reads never waits. */
export function transactionModes(options: readonly Node[]): TransactionModes {
  let modes: TransactionModes = {};
  for (const option of options) {
    const { defname, arg } = 'DefElem' in option ? option.DefElem : {};
    const value = constantText(arg) ?? '';
    if (defname === 'transaction_read_only') modes = { ...modes, isReadOnly: value === '1' };
    if (defname === 'transaction_isolation') modes = { ...modes, isolation: isolationOf(value) };
  }
  return modes;
}

function isolationOf(value: string): IsolationName {
  const isolation = isolations.find((one) => one === value);
  if (isolation !== undefined) return isolation;
  throw sqlError('22023', `invalid value for parameter "transaction_isolation": "${value}"`);
}
