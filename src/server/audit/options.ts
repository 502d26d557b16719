/** `--audit-log` and `--audit-level`: where requests are recorded, and which ones (docs/security.md). */

import { resolve } from 'node:path';
import { type AuditLevel, auditLevels } from '#authentication';
import { type Option, oneOf, refusal } from '../option.ts';

export interface AuditConfiguration {
  /** Absolute path of the file, or `undefined` for the standard error. */
  readonly path: string | undefined;
  readonly level: AuditLevel;
}

/** Returns `undefined` if nothing is recorded. Throws a `RefusedOption`. */
export function auditOf(option: (name: string) => Option): AuditConfiguration | undefined {
  const log = option('audit-log');
  const level = option('audit-level');
  const words = oneOf(level, auditLevels, 'auth');
  if (log.value === '') throw refusal(log, 'a file, stderr or off');
  if (log.value === undefined || log.value === 'off') {
    if (level.value === undefined) return undefined;
    throw refusal(level, 'only with --audit-log');
  }
  return { path: log.value === 'stderr' ? undefined : resolve(log.value), level: words };
}
