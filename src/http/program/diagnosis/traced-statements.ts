/** Converts the trace of a statement to its public form. Times are integers in microseconds. */

import { fingerprint, type OperatorRecord, type StatementTrace } from '#engine';

export function micros(ms: number): number {
  return Math.round(ms * 1000);
}

/** Returns the members that diagnostics add to the plan of a statement. */
export function tracedMembers(trace: StatementTrace) {
  const { operators, scans, storage, ms, affected } = trace;
  const about = { all: operators.records, family: familyOf(trace) };
  return {
    ...(affected !== undefined && { actualRows: affected }),
    logicalScans: {
      format: 'svc-logical-scan-trace-v1',
      scans: scans.scans,
      dropped: scans.dropped,
    },
    operatorTrace: {
      format: 'svc-operator-trace-v1',
      operators: operators.records.map((record) => operatorMembers(record, about)),
      dropped: operators.dropped,
      unattributedMicros: Math.max(0, micros(ms - operators.rootsMs)),
    },
    physicalStorage: { coverage: 'cache_and_backing_reads', ...storageMembers(storage) },
  };
}

export function storageMembers(storage: StatementTrace['storage']) {
  const { backingReads, backingBytes, backingMs } = storage;
  return {
    memoryCache: { hits: storage.memoryHits, misses: storage.memoryMisses },
    localCache: { hits: storage.localHits, misses: storage.localMisses },
    backingReads: { calls: backingReads, bytes: backingBytes, micros: micros(backingMs) },
  };
}

interface About {
  readonly all: readonly OperatorRecord[];
  /** The family of the relation of the statement, or `undefined` if it has no statistics. */
  readonly family: string | undefined;
}

export function familyOf({ plan }: StatementTrace): string | undefined {
  return plan.kind === 'catalog' ? undefined : plan.query.family;
}

/**
 * Returns the record of the parent operator. An operator that was never called has no recorded parent, so the plan
 * determines it.
 */
export function aboveOf(
  { parent, site }: OperatorRecord,
  all: readonly OperatorRecord[],
): OperatorRecord | undefined {
  return parent ?? all.find((it) => it.site.inputs.includes(site));
}

export function operatorMembers(record: OperatorRecord, { all, family }: About) {
  const { site, part, inclusiveMs, belowMs } = record;
  const inputs = site.inputs.map((input) => all.find((it) => it.site === input));
  return {
    operatorId: site.id,
    parentOperatorId: aboveOf(record, all)?.site.id ?? null,
    operator: site.operator,
    // Part names are unique only within their relation.
    ...(part !== undefined &&
      family !== undefined && { relationFingerprint: fingerprint(`${family} ${part}`) }),
    openMicros: micros(record.openMs),
    inclusiveMicros: micros(inclusiveMs),
    exclusiveMicros: Math.max(0, micros(inclusiveMs - belowMs)),
    opens: record.opens,
    calls: record.calls,
    inputRows: inputs.length === 0 ? Math.max(record.entries, site.rowsOut) : site.rowsIn,
    outputRows: site.rowsOut,
    inputComplete:
      inputs.length === 0 ? record.isComplete : inputs.every((input) => input?.isComplete === true),
    complete: record.isComplete,
    ...(site.index !== undefined && {
      indexEntriesVisited: record.entries,
      indexBaseRowReads: record.gets,
      indexPeakBaseRowReadConcurrency: record.getsAtOnceMax,
    }),
  };
}
