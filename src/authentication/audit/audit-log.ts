/**
 * Writes the audit log: one JSON object per line. A change of keys, policies or the schema has a line before it happens. If this line cannot be
 * written, the change is refused. All other lines are dropped and counted if they cannot be written.
 */

import { redact, type Timer, type World } from '#base';
import { type DatabaseError, fail } from '#failure';
import { blocksOf } from '../request/address-blocks.ts';
import type { RefusedRequest } from '../request/request-check.ts';
import {
  type AuditedChangeName,
  type AuditedOutcome,
  type AuditedRequest,
  type AuditedWork,
  type AuditLevel,
  auditLevels,
} from './audit-event.ts';
import { EventCounts } from './event-counts.ts';

export interface AuditTarget {
  /** Appends lines. Throws if they were not written completely. */
  append(text: string): void;
  /** Makes the appended lines durable. Throws if that failed. */
  sync(): void;
  /** Opens the file again, after another process has renamed it. Throws, and uses the open file, if that is not possible. */
  reopen(): void;
  close(): void;
}

interface AuditLogOptions {
  readonly target: AuditTarget;
  readonly level: AuditLevel;
  readonly world: Pick<World, 'clock' | 'scheduler'>;
  /** Called with the first error after a line that could be written. */
  readonly onUnwritable?: (error: unknown) => void;
}

type Members = Readonly<Record<string, unknown>>;

/** A request for which the principal lacks a permission. */
interface MissingPermission {
  readonly work: AuditedWork;
  readonly reason: string;
}

const minuteMs = 60_000;
/** The address, or the id of the principal, of events of too many sources. */
const others = 'others';

export class AuditLog {
  /** Total number of lines that could not be written. */
  droppedEver = 0;
  private readonly options: AuditLogOptions;
  private readonly levelIndex: number;
  private readonly failures = new EventCounts<RefusedRequest>({
    sourceOf: ({ address }) => blocksOf(address)[0]?.key ?? '',
    withoutSource: (failure) => ({ ...failure, address: others }),
  });
  private readonly refusals = new EventCounts<MissingPermission>({
    sourceOf: ({ work: { principal } }) =>
      JSON.stringify([principal?.kind, principal?.issuer, principal?.id]),
    withoutSource: ({ work: { principal }, reason }) => ({
      work: { ...(principal && { principal: { kind: principal.kind, id: others } }) },
      reason,
    }),
  });
  private lines: string[] = [];
  private unreported = 0;
  private timer: Timer | undefined;

  constructor(options: AuditLogOptions) {
    this.options = options;
    this.levelIndex = auditLevels.indexOf(options.level);
  }

  /** Returns whether programs are logged. */
  hasPrograms(isWrite: boolean): boolean {
    return this.levelIndex >= auditLevels.indexOf(isWrite ? 'write' : 'all');
  }

  /** Records a request with an invalid token. */
  failed(failure: RefusedRequest): void {
    this.beginMinute();
    if (this.failures.add(failure)) this.write('auth.failed', failedMembers(failure, 1));
  }

  /** Records a request for which the principal lacks a permission. */
  refused(work: AuditedWork, reason: string): void {
    this.beginMinute();
    const refusal = { work, reason };
    if (this.refusals.add(refusal)) this.write('auth.refused', refusedMembers(refusal, 1));
  }

  program(work: AuditedWork, outcome: AuditedOutcome): void {
    this.write('program', { ...requestMembers(work), ...outcomeMembers(outcome) });
  }

  /**
   * Records that a change begins, and returns the function that records its outcome. Throws a failure with the status 503 if the line cannot be
   * written: the change must then not happen.
   */
  begin(event: AuditedChangeName, work: AuditedWork): (outcome: AuditedOutcome) => void {
    const { target } = this.options;
    this.flush();
    try {
      target.append(this.lineOf(event, { ...requestMembers(work), outcome: 'begun' }));
      target.sync();
    } catch (error) {
      this.drop(1, error);
      throw refusedChange(error);
    }
    return (outcome) => {
      this.write(event, { ...requestMembers(work), ...outcomeMembers(outcome) });
      this.flush();
    };
  }

  reopen(): void {
    this.flush();
    this.options.target.reopen();
  }

  close(): void {
    this.timer?.cancel();
    this.endMinute();
    this.flush();
    this.options.target.close();
  }

  private beginMinute(): void {
    this.timer ??= this.options.world.scheduler.after(minuteMs, () => this.endMinute());
  }

  private endMinute(): void {
    this.timer = undefined;
    for (const { event, count } of this.failures.take()) {
      this.write('auth.failed', failedMembers(event, count));
    }
    for (const { event, count } of this.refusals.take()) {
      this.write('auth.refused', refusedMembers(event, count));
    }
  }

  /** Lines of one event-loop iteration are written together. */
  private write(event: string, members: Members): void {
    this.lines.push(this.lineOf(event, members));
    if (this.lines.length === 1) this.options.world.scheduler.afterTurn(() => this.flush());
  }

  private flush(): void {
    const { lines } = this;
    if (lines.length === 0) return;
    this.lines = [];
    const reported = this.unreported;
    const notice = reported === 0 ? '' : this.lineOf('audit.dropped', { count: reported });
    try {
      this.options.target.append(notice + lines.join(''));
      this.unreported -= reported;
    } catch (error) {
      this.drop(lines.length, error);
    }
  }

  private drop(lines: number, error: unknown): void {
    if (this.unreported === 0) this.options.onUnwritable?.(error);
    this.droppedEver += lines;
    this.unreported += lines;
  }

  private lineOf(event: string, members: Members): string {
    const time = new Date(this.options.world.clock.unixMs()).toISOString();
    return `${redact(JSON.stringify({ time, event, ...members }))}\n`;
  }
}

function refusedChange(cause: unknown): DatabaseError {
  const detail =
    'the audit log cannot be written, so nothing was changed; make its file writable, then send the request again';
  return fail('storage_unavailable', detail, { status: 503, retryAfterSeconds: 10, cause });
}

function failedMembers({ address, reason, fault, keyId }: RefusedRequest, count: number): Members {
  return {
    ...(keyId !== undefined && { principal: { kind: 'key', id: keyId } }),
    address,
    outcome: 'refused',
    reason: fault ?? reason,
    count,
  };
}

function refusedMembers({ work, reason }: MissingPermission, count: number): Members {
  return { ...requestMembers(work), outcome: 'refused', reason, count };
}

/** Only the known members, in their order. */
function requestMembers(work: AuditedWork & AuditedRequest): Members {
  const { principal, address, request_id, endpoint, statements, tables } = work;
  return { principal, address, request_id, endpoint, statements, tables };
}

function outcomeMembers(result: AuditedOutcome): Members {
  const { outcome, reason, key_id, affected, duration_ms, fingerprint } = result;
  return { outcome, reason, key_id, affected, duration_ms, fingerprint };
}
