/** Logs programs: each program if that is configured, and slow programs (docs/monitoring.md). */

import type { Clock } from '#base';
import type { ProgramIdentity } from '#engine';
import type { ProgramLog, ProgramReport } from '#http';
import type { LogLevel } from './configuration.ts';
import type { Log, LogFields } from './log.ts';

/**
 * Maximum lines about slow programs per second. Further programs are only counted. On an overloaded server, all programs
 * are slow.
 */
const slowLinesMax = 10;
/** Maximum length of a program family in the log, in characters. For a longer one, the fingerprint and the length are logged. */
const familyLengthMax = 8192;
/** Maximum bytes of a diagnostics document in the log. */
const documentBytesMax = 256 * 1024;
/** Maximum number of statements of one program that are logged. */
const statementLinesMax = 100;

interface ProgramLogParts {
  readonly log: Log;
  readonly clock: Clock;
  /** Whether each program is logged at level info, instead of debug. */
  readonly hasPrograms: boolean;
  /** Programs that take at least this many milliseconds are slow. 0 turns this off. */
  readonly slowMs: number;
}

/** Returns the log of executed programs; `undefined` if the log level and `slowMs` exclude every entry. */
export function openProgramLog({
  log,
  clock,
  hasPrograms,
  slowMs,
}: ProgramLogParts): ProgramLog | undefined {
  const level: LogLevel = hasPrograms ? 'info' : 'debug';
  const isOfAll = log.has(level);
  const hasSlow = slowMs > 0 && log.has('warn');
  if (!isOfAll && !hasSlow) return undefined;
  const second = { at: Number.NEGATIVE_INFINITY, lines: 0, suppressed: 0 };
  return {
    isOfAll,
    slowMs: hasSlow ? slowMs : Number.POSITIVE_INFINITY,
    executed: (report, identity) => {
      log.write(level, 'program.executed', membersOf(report, identity));
      if (log.has('debug') && identity !== undefined) tellStatements(log, report, identity);
    },
    slow: (report, family) => {
      const now = Math.floor(clock.monotonicMs() / 1000);
      if (now !== second.at) Object.assign(second, { at: now, lines: 0 });
      if (second.lines === slowLinesMax) {
        second.suppressed++;
        return;
      }
      second.lines++;
      const { identity, text } = family() ?? {};
      const isShown = text !== undefined && text.length <= familyLengthMax;
      log.write('warn', 'program.slow', {
        ...membersOf(report, identity),
        threshold_ms: slowMs,
        program_family: isShown ? text : undefined,
        program_family_length: isShown ? undefined : text?.length,
        suppressed: second.suppressed || undefined,
      });
      second.suppressed = 0;
    },
    diagnosed: (request_id, document) => {
      if (!log.has('debug')) return;
      const text = document();
      const isShown = Buffer.byteLength(text) <= documentBytesMax;
      const shown = isShown ? { document: text } : { document_length: text.length };
      log.write('debug', 'program.diagnostic', { request_id, ...shown });
    },
  };
}

function membersOf(report: ProgramReport, identity: ProgramIdentity | undefined): LogFields {
  const { errorReason, isDry } = report;
  // If the program was not identified, only its affected rows show that it has written.
  const isWrite =
    identity?.statements.some(({ kind }) => kind !== 'query') ?? report.affectedRows > 0;
  const ended = errorReason === undefined ? 'commit' : 'rollback';
  return {
    ...identityOf(report),
    program_fingerprint: identity?.fingerprint,
    statements: report.statements,
    mutation_statements: identity?.statements.filter(({ isMutation }) => isMutation).length,
    transport: 'http',
    transaction_id: report.transactionId,
    client_ip: report.clientAddress,
    principal: report.principal,
    application: report.application,
    duration_ms: Math.round(report.durationMs * 1000) / 1000,
    status: errorReason === undefined ? 'success' : 'error',
    result_rows: report.resultRows,
    affected_rows: report.affectedRows,
    dry_run: isDry,
    transaction_state: isWrite && !isDry ? ended : identity === undefined ? undefined : 'none',
    error_kind: report.errorKind,
    error_reason: errorReason,
  };
}

function identityOf({ requestId, traceId, spanId }: ProgramReport): LogFields {
  return { request_id: requestId, trace_id: traceId, span_id: spanId };
}

function tellStatements(log: Log, report: ProgramReport, { statements }: ProgramIdentity): void {
  for (const [i, { name, kind, fingerprint }] of statements.entries()) {
    if (i === statementLinesMax) return;
    log.write('debug', 'program.statement', {
      ...identityOf(report),
      statement: name,
      kind,
      statement_fingerprint: fingerprint,
      affected_rows: report.affected[i]?.affected,
    });
  }
}
