/** Creates the spans of a traced program: its transactions, statements and operators. Rows, keys and blocks have no spans. */

import type {
  KeyValueWork,
  OperatorRecord,
  ProgramIdentity,
  ProgramTrace,
  ReferenceCheck,
  StatementTrace,
} from '#engine';
import type { RequestTrace, Work } from '#telemetry';
import { aboveOf, familyOf, micros, operatorMembers, storageMembers } from './traced-statements.ts';

/**
 * Maximum spans of one program, which are created in one step. A statement has at most 256 operators. Statements beyond
 * this limit have no spans.
 */
const spansMax = 512;
/** Maximum `operator.completed` events of one statement. A span holds at most 128 events. */
const completedMax = 96;

/** The program as a whole. */
interface ProgramFacts {
  readonly beganMs: number;
  readonly endedMs: number;
  readonly transactionId: string;
  /** Identity of the program; `undefined` if it failed before it was parsed and checked. */
  readonly identity: ProgramIdentity | undefined;
  readonly evidence: ProgramTrace | undefined;
  /** The fingerprints of the statements that have a plan. Empty if they could not be computed. */
  readonly planFingerprints: ReadonlyMap<string, string>;
  readonly isDry: boolean;
  /** Whether the result came from the relation cache or from another request. */
  readonly isRecalled: boolean;
  readonly resultRows: number;
  readonly affectedRows: number;
  readonly errorType: string | undefined;
}

type Above = ReturnType<RequestTrace['tell']>;

export function tellProgram(trace: RequestTrace, facts: ProgramFacts): void {
  const { identity, evidence, beganMs, endedMs, errorType } = facts;
  const statements = identity?.statements ?? [];
  const program = trace.tell({
    name: 'svc.program.execute',
    beganMs,
    endedMs,
    errorType,
    attributes: {
      request_id: trace.requestId,
      'svc.transport': 'http',
      ...(identity !== undefined && { 'svc.program.fingerprint': identity.fingerprint }),
      'svc.program.statement_count': statements.length,
      'svc.program.mutation_statement_count': statements.filter((one) => one.isMutation).length,
      'svc.program.dry_run': facts.isDry,
      'svc.program.result_rows': facts.resultRows,
      'svc.program.affected_rows': facts.affectedRows,
      'svc.program.bind_duration_us': micros(evidence?.planningMs ?? 0),
    },
  });
  if (facts.isRecalled) tellRecalled(trace, facts, program);
  if (evidence === undefined) return;
  const transaction = tellTransactions(trace, facts, evidence, program);
  let left = spansMax - 1 - evidence.transactions.length;
  for (const [i, statement] of evidence.statements.entries()) {
    const isChecked = statement.references !== undefined;
    const spans = 1 + statement.operators.records.length + (isChecked ? 1 : 0);
    if (spans > left) break;
    left -= spans;
    tellStatement(trace, { facts, statement, i }, transaction ?? program);
  }
}

function tellRecalled(trace: RequestTrace, facts: ProgramFacts, program: Above): void {
  const { identity, beganMs, endedMs, errorType } = facts;
  for (const { kind, fingerprint } of identity?.statements ?? []) {
    const attributes = {
      'svc.statement.kind': kind,
      'svc.statement.source': 'relation_cache',
      ...(fingerprint !== undefined && { 'svc.statement.fingerprint': fingerprint }),
    };
    trace.tell({ name: 'svc.statement.execute', beganMs, endedMs, errorType, attributes }, program);
  }
}

/** Creates one span per attempt and returns the last one, which contains the statements. */
function tellTransactions(
  trace: RequestTrace,
  { transactionId, errorType }: ProgramFacts,
  { transactions }: ProgramTrace,
  program: Above,
): Above | undefined {
  let last: Above | undefined;
  for (const attempt of transactions) {
    const { beganMs, endedMs, end } = attempt;
    const isLast = attempt === transactions.at(-1);
    const attributes = { transaction_id: transactionId, 'svc.transaction.outcome': end };
    const lost = isLast ? undefined : 'serializable_conflict';
    const why = end === 'commit' ? undefined : ((isLast ? errorType : lost) ?? end);
    const work: Work = {
      name: 'svc.transaction',
      beganMs,
      endedMs,
      attributes,
      errorType: why,
    };
    last = trace.tell(work, program);
  }
  return last;
}

interface Told {
  readonly facts: ProgramFacts;
  readonly statement: StatementTrace;
  readonly i: number;
}

function tellStatement(trace: RequestTrace, { facts, statement, i }: Told, above: Above): void {
  const { plan, beganMs, ms, affected, isOver, operators } = statement;
  const { identity, planFingerprints, evidence } = facts;
  const own = identity?.statements[i];
  const isAlone = identity?.statements.length === 1;
  const planned = planFingerprints.get(plan.name);
  const endedMs = isOver ? beganMs + ms : facts.endedMs;
  const told = trace.tell(
    {
      name: 'svc.statement.execute',
      beganMs,
      endedMs,
      errorType: affected === undefined ? (facts.errorType ?? 'abandoned') : undefined,
      events: eventsOf(statement),
      attributes: {
        'svc.statement.kind': own?.kind ?? plan.kind,
        'svc.statement.source': 'executed',
        ...(own?.fingerprint !== undefined && { 'svc.statement.fingerprint': own.fingerprint }),
        ...(planned !== undefined && { 'svc.statement.plan_fingerprint': planned }),
        'svc.statement.result_rows': plan.kind === 'query' ? (affected ?? 0) : 0,
        'svc.statement.affected_rows': affected ?? 0,
        // Statements are planned together, so only a single statement has a duration.
        ...(isAlone && { 'svc.statement.bind_duration_us': micros(evidence?.planningMs ?? 0) }),
        'svc.statement.execution_duration_us': micros(endedMs - beganMs),
        ...keyValueAttributes(statement.kv),
        ...(operators.dropped > 0 && { 'svc.statement.operators_dropped': operators.dropped }),
      },
    },
    above,
  );
  tellOperators(trace, statement, told, facts.errorType);
  tellReferenceCheck(trace, { facts, statement, i }, told);
}

/**
 * Creates one span per statement, regardless of its number of foreign keys. The span describes the check that failed, or else the check that took
 * longest.
 */
function tellReferenceCheck(trace: RequestTrace, { facts, statement }: Told, above: Above): void {
  const checks = statement.references?.checks ?? [];
  const hasFailed = (check: ReferenceCheck) => check.hasRefused || !check.isOver;
  const longest = checks.toSorted((a, b) => b.ms - a.ms)[0];
  const told = checks.find(hasFailed) ?? longest;
  if (told === undefined) return;
  const { table, foreignKey, accessPath, rowsExamined, matchFound, beganMs } = told;
  trace.tell(
    {
      name: 'svc.constraint.reference_check',
      beganMs,
      endedMs: told.isOver ? beganMs + told.ms : facts.endedMs,
      errorType: hasFailed(told) ? (facts.errorType ?? 'abandoned') : undefined,
      attributes: {
        'svc.constraint.kind': 'foreign_key_reference',
        'svc.constraint.table': table,
        'svc.constraint.column_count': foreignKey.columns.length,
        'svc.constraint.access_path': accessPath,
        'svc.constraint.rows_examined': rowsExamined,
        ...(matchFound !== undefined && { 'svc.constraint.match_found': matchFound }),
        'svc.constraint.checks': checks.length,
      },
    },
    above,
  );
}

function keyValueAttributes(kv: Readonly<KeyValueWork>) {
  return {
    'svc.kv.gets': kv.gets,
    'svc.kv.puts': kv.puts,
    'svc.kv.deletes': kv.deletes,
    'svc.kv.scans': kv.scans,
    'svc.kv.bytes_read': kv.bytesRead,
    'svc.kv.bytes_written': kv.bytesWritten,
  };
}

/** Creates the spans of operators. An operator comes before its inputs, whose spans need it as parent. */
function tellOperators(
  trace: RequestTrace,
  statement: StatementTrace,
  told: Above,
  errorType: string | undefined,
): void {
  const { records } = statement.operators;
  const spans = new Map<OperatorRecord, Above>();
  const about = { all: records, family: familyOf(statement) };
  const tell = (record: OperatorRecord): Above => {
    const known = spans.get(record);
    if (known !== undefined) return known;
    // Without this entry, an operator below itself would recurse endlessly. Such an operator would be recorded as a root.
    spans.set(record, told);
    const { operator, operatorId, relationFingerprint } = operatorMembers(record, about);
    const parent = aboveOf(record, records);
    const above = parent === undefined ? told : tell(parent);
    const { firstMs = statement.beganMs } = record;
    const span = trace.tell(
      {
        name: `svc.operator.${operator}`,
        beganMs: firstMs,
        endedMs: Math.max(firstMs, record.lastMs),
        errorType: record.hasFailed ? (errorType ?? 'abandoned') : undefined,
        attributes: {
          'svc.operator.name': operator,
          'svc.operator.id': operatorId,
          ...(relationFingerprint !== undefined && {
            'svc.operator.relation_fingerprint': relationFingerprint,
          }),
          'svc.operator.active_duration_us': micros(record.inclusiveMs),
          'svc.operator.calls': record.calls,
          'svc.operator.output_rows': record.site.rowsOut,
          'svc.operator.complete': record.isComplete,
          'svc.operator.status': record.hasFailed ? 'error' : 'success',
        },
      },
      above,
    );
    spans.set(record, span);
    return span;
  };
  for (const record of records) tell(record);
}

/** Returns the events of a statement, with the same records as in diagnostics. */
function eventsOf(statement: StatementTrace): NonNullable<Work['events']> {
  const { memoryCache, localCache, backingReads } = storageMembers(statement.storage);
  const { records } = statement.operators;
  const about = { all: records, family: familyOf(statement) };
  const completed = records.filter(({ isComplete }) => isComplete).slice(0, completedMax);
  return [
    { name: 'storage.cache', attributes: { tier: 'memory', ...memoryCache } },
    { name: 'storage.cache', attributes: { tier: 'local', ...localCache } },
    { name: 'storage.request', attributes: backingReads },
    ...completed.map((record) => {
      const { parentOperatorId, ...members } = operatorMembers(record, about);
      return {
        name: 'operator.completed',
        attributes: { ...members, ...(parentOperatorId !== null && { parentOperatorId }) },
      };
    }),
  ];
}
