/** Statements without effect, which are answered so that tools can continue. */

import type { Node } from 'libpg-query';
import type { SqlStatement } from '../statement.ts';

export function noticeOf(node: Node): SqlStatement | undefined {
  if ('VacuumStmt' in node) {
    return node.VacuumStmt.is_vacuumcmd
      ? notice('VACUUM', 'svc reclaims space in the background')
      : notice('ANALYZE', 'svc collects statistics in the background');
  }
  if ('LockStmt' in node) {
    return notice('LOCK TABLE', 'transactions are serializable, and conflicts are found at commit');
  }
  if ('CommentStmt' in node) return notice('COMMENT', 'svc stores no comments');
  if ('GrantStmt' in node) return rights(node.GrantStmt.is_grant ? 'GRANT' : 'REVOKE');
  if ('GrantRoleStmt' in node) {
    return rights(node.GrantRoleStmt.is_grant ? 'GRANT ROLE' : 'REVOKE ROLE');
  }
  if ('NotifyStmt' in node) return notice('NOTIFY', 'svc delivers no notifications');
  if ('UnlistenStmt' in node) return notice('UNLISTEN', 'svc delivers no notifications');
  return undefined;
}

function rights(tag: string): SqlStatement {
  return notice(tag, 'rights come from the scopes and the row policies of the user');
}

function notice(tag: string, reason: string): SqlStatement {
  return { kind: 'notice', tag, message: `${tag} has no effect: ${reason}` };
}
