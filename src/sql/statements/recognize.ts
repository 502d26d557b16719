/** Recognizes the kind of a statement. Statements that svc never has are refused here. */

import type { Node, TransactionStmt } from 'libpg-query';
import { unsupported } from '../sql-error.ts';
import type { SqlStatement } from '../statement.ts';
import { typeOfName } from '../types/type-of-name.ts';
import { declared, fetched } from './cursor.ts';
import { explained } from './explain.ts';
import { transactionModes } from './modes.ts';
import { kindOf } from './node.ts';
import { noticeOf } from './notice.ts';
import { refusalOf } from './refusal.ts';
import { settingChange } from './setting.ts';

/** Statements that become programs. */
const programKinds = new Set([
  'SelectStmt',
  'InsertStmt',
  'UpdateStmt',
  'DeleteStmt',
  'TruncateStmt',
  'CreateStmt',
  'CreateTableAsStmt',
  'CreateSchemaStmt',
  'DropStmt',
  'AlterTableStmt',
  'RenameStmt',
  'IndexStmt',
]);

/** `text` is the text of the whole message, for positions. */
export function recognize(node: Node, text: string): SqlStatement {
  if (programKinds.has(kindOf(node))) return { kind: 'program', node };
  if ('TransactionStmt' in node) return transactionStatement(node.TransactionStmt);
  if ('VariableSetStmt' in node) return settingChange(node.VariableSetStmt, text);
  if ('VariableShowStmt' in node) return { kind: 'show', name: node.VariableShowStmt.name ?? '' };
  if ('FetchStmt' in node) return fetched(node.FetchStmt);
  if ('ClosePortalStmt' in node) return { kind: 'close', name: node.ClosePortalStmt.portalname };
  if ('DeallocateStmt' in node) return { kind: 'deallocate', name: node.DeallocateStmt.name };
  if ('DiscardStmt' in node) return discard(node.DiscardStmt.target);
  if ('ExecuteStmt' in node) {
    const { name = '', params = [] } = node.ExecuteStmt;
    return { kind: 'execute', name, arguments: params };
  }
  return withStatement(node, text) ?? noticeOf(node) ?? refuse(node);
}

/** Returns a statement that contains another one. */
function withStatement(node: Node, text: string): SqlStatement | undefined {
  if ('PrepareStmt' in node) {
    const { name = '', argtypes = [], query } = node.PrepareStmt;
    const types = argtypes.flatMap((type) =>
      'TypeName' in type ? [typeOfName(type.TypeName, text)] : [],
    );
    return { kind: 'prepare', name, types, statement: recognize(query as Node, text) };
  }
  if ('DeclareCursorStmt' in node) {
    const { DeclareCursorStmt: cursor } = node;
    return declared(cursor, recognize(cursor.query as Node, text));
  }
  if ('ExplainStmt' in node) {
    const { ExplainStmt: explain } = node;
    return explained(explain, recognize(explain.query as Node, text), text);
  }
  return undefined;
}

function refuse(node: Node): never {
  const { feature, hint } = refusalOf(node);
  throw unsupported(feature, hint === undefined ? {} : { hint });
}

function transactionStatement(node: TransactionStmt): SqlStatement {
  const { kind, options = [], savepoint_name: name = '', chain = false } = node;
  switch (kind) {
    case 'TRANS_STMT_BEGIN':
    case 'TRANS_STMT_START':
      return { kind: 'begin', modes: transactionModes(options) };
    case 'TRANS_STMT_COMMIT':
      return { kind: 'commit', chains: chain };
    case 'TRANS_STMT_ROLLBACK':
      return { kind: 'rollback', chains: chain };
    case 'TRANS_STMT_SAVEPOINT':
      return { kind: 'savepoint', name };
    case 'TRANS_STMT_RELEASE':
      return { kind: 'release', name };
    case 'TRANS_STMT_ROLLBACK_TO':
      return { kind: 'rollback_to', name };
    default:
      throw unsupported('two-phase commit', { hint: 'Use COMMIT.' });
  }
}

const discardTargets = {
  DISCARD_ALL: 'all',
  DISCARD_PLANS: 'plans',
  DISCARD_SEQUENCES: 'sequences',
  DISCARD_TEMP: 'temp',
} as const;

function discard(target: keyof typeof discardTargets = 'DISCARD_ALL'): SqlStatement {
  return { kind: 'discard', what: discardTargets[target] };
}
