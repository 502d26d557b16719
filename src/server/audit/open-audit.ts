/** Opens the audit log. */

import { AuditLog, type AuditTarget, RotatingFile } from '#authentication';
import type { World } from '#base';
import { describeChain } from '#http';
import type { Log } from '../log.ts';
import type { LogSink } from '../log-sink.ts';
import { RefusedOption } from '../refused-option.ts';
import { auditFiles } from './audit-files.ts';
import type { AuditConfiguration } from './options.ts';

interface AuditParts {
  readonly world: Pick<World, 'clock' | 'scheduler'>;
  readonly log: Log;
  /** The sink of the log, which owns the standard error. */
  readonly sink: Pick<LogSink, 'write' | 'droppedEver'>;
}

/** Throws a `RefusedOption` if the file cannot be opened. */
export function openAudit({ path, level }: AuditConfiguration, parts: AuditParts): AuditLog {
  const target = path === undefined ? lineTarget(parts.sink) : fileTarget(path);
  const { world, log } = parts;
  return new AuditLog({
    target,
    level,
    world,
    onUnwritable: (error) => log.write('error', 'audit.dropped', { error: describeChain(error) }),
  });
}

/** Opens the file again, for example after another process has renamed it. The open file stays in use if that fails. */
export function reopenAudit(audit: AuditLog, log: Log): void {
  try {
    audit.reopen();
  } catch (error) {
    log.write('error', 'audit.reopen_failed', { error: describeChain(error) });
  }
}

function fileTarget(path: string): AuditTarget {
  try {
    return new RotatingFile(path, auditFiles);
  } catch (error) {
    throw new RefusedOption(
      '--audit-log',
      path,
      `a file that can be written: ${(error as Error).message}`,
    );
  }
}

/** Writes to the log. A line that the sink drops counts as not written. */
function lineTarget(sink: AuditParts['sink']): AuditTarget {
  return {
    append: (text) => {
      const before = sink.droppedEver;
      for (const line of text.trimEnd().split('\n')) sink.write(line);
      if (sink.droppedEver > before) throw new Error('the standard error is closed or full');
    },
    sync: () => {},
    reopen: () => {},
    close: () => {},
  };
}
