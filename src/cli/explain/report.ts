/** The report of `svc explain` about a program, as data and as lines for a terminal. */

import type { Explained, ProgramDiagnostics, StatementDiagnostics } from '#client';
import type { Paint } from '../frame/paint.ts';
import { count, counted, size } from '../frame/quantity.ts';
import { isWrong, planLines } from './plan-lines.ts';
import { type PlanRow, type PlanTree, planTrees, wrongFactor } from './plan-rows.ts';
import { fitted, harmless, milliseconds } from './words.ts';

interface StatementReport {
  readonly name: string;
  readonly kind: string;
  /** Plans of the statement; empty if the statement changes the catalog. */
  readonly trees: readonly PlanTree[];
  /** Rows read, created, updated or deleted. `undefined` if the statement did not finish. */
  readonly rows: number | undefined;
  readonly told: StatementDiagnostics | undefined;
}

interface Report {
  readonly statements: readonly StatementReport[];
  /** Measurements of the execution; `undefined` if nothing was executed. */
  readonly diagnostics: ProgramDiagnostics | undefined;
}

interface Named {
  readonly name: string;
  readonly kind: string;
}

/**
 * Combines plans and measurements. `statements` are those of the program in its original form. `hasRun` is whether the diagnostics are those of an execution.
 */
export function reportOf(
  { plan, diagnostics }: Explained,
  statements: readonly Named[],
  hasRun: boolean,
): Report {
  const done = hasRun ? diagnostics : undefined;
  const views = new Map(plan.statements.map((one) => [one.name, one.view]));
  const told = new Map((done?.plans ?? []).map((one) => [one.statement, one]));
  return {
    diagnostics: done,
    statements: statements.map(({ name, kind }) => {
      const view = views.get(name);
      const ended = done?.statements.find((one) => one.name === name);
      const measures = told.get(name);
      return {
        name,
        kind,
        trees: view === undefined ? [] : planTrees(view, measures),
        rows: ended?.status === 'success' ? ended.affectedRows : undefined,
        told: measures,
      };
    }),
  };
}

/** Returns the time of a statement in microseconds, including waits, or `undefined` if its operators were not measured. */
function statementMicros({ told, trees }: StatementReport): number | undefined {
  if (told?.operatorTrace === undefined) return undefined;
  const own = trees.at(-1)?.rows[0]?.measured?.totalMicros ?? 0;
  return own + told.operatorTrace.unattributedMicros;
}

/** Part of the time of its statement from which an operator counts as a main cost. */
const hotPart = 0.25;

export function reportLines(
  { statements, diagnostics }: Report,
  columns: number,
  paint: Paint,
): readonly string[] {
  const lines: string[] = [];
  for (const statement of statements) {
    const head = headOf(statement).join(' \u00b7 ');
    for (const line of fitted(head, columns, '  ')) lines.push(paint('bold', line));
    const isMeasured = statement.told?.operatorTrace !== undefined;
    const hotMicros = Math.max(1, (statementMicros(statement) ?? 0) * hotPart);
    for (const { title, rows } of statement.trees) {
      lines.push('');
      if (title !== undefined) lines.push(...fitted(harmless(title), columns, '  '));
      lines.push(...planLines(rows, { columns, paint, isMeasured, hotMicros }));
    }
    const below = belowOf(statement);
    if (below.length > 0) lines.push('', ...below.flatMap((line) => fitted(line, columns, '  ')));
    lines.push('');
  }
  lines.push(...endOf(statements, diagnostics).flatMap((line) => fitted(line, columns, '  ')));
  while (lines.at(-1) === '') lines.pop();
  return lines;
}

function headOf(statement: StatementReport): readonly string[] {
  const { name, kind, rows, trees } = statement;
  const root = trees.at(-1)?.rows[0]?.node;
  const micros = statementMicros(statement);
  return [
    `${harmless(name)}: ${harmless(kind.replaceAll('_', ' '))}`,
    ...(rows === undefined ? [] : [counted(rows, 'row')]),
    ...(root === undefined
      ? ['changes the catalog, and has no plan']
      : [`${counted(root.estimated_rows, 'row')} estimated`]),
    ...(micros === undefined ? [] : [`${milliseconds(micros)} ms`]),
  ];
}

function belowOf({ told }: StatementReport): readonly string[] {
  if (told === undefined) return [];
  const { operatorTrace: trace, physicalStorage: storage } = told;
  const lines: string[] = [];
  if (trace !== undefined && trace.unattributedMicros > 0) {
    lines.push(`${milliseconds(trace.unattributedMicros)} ms outside of operators, waits included`);
  }
  if (trace !== undefined && trace.dropped > 0) {
    lines.push(
      `${counted(trace.dropped, 'operator')} beyond the measurement limit, without figures`,
    );
  }
  if (storage !== undefined) {
    const { memoryCache, localCache, backingReads } = storage;
    const parts = [
      `memory ${count(memoryCache.hits)} hits, ${count(memoryCache.misses)} misses`,
      ...(localCache.hits + localCache.misses === 0
        ? []
        : [`local disk ${count(localCache.hits)} hits, ${count(localCache.misses)} misses`]),
      backingReads.calls === 0
        ? 'nothing read from the store'
        : `${counted(backingReads.calls, 'read')} of the store, ${size(backingReads.bytes)} in ${milliseconds(backingReads.micros)} ms`,
    ];
    lines.push(`storage: ${parts.join(' \u00b7 ')}`);
  }
  return lines;
}

function endOf(
  statements: readonly StatementReport[],
  diagnostics: ProgramDiagnostics | undefined,
): readonly string[] {
  if (diagnostics === undefined) return ['Nothing ran: these are estimates.'];
  const { planningUs, executionUs, durationUs, kv } = diagnostics;
  const wrong = wrongRows(statements).length;
  return [
    `planning ${milliseconds(planningUs)} ms \u00b7 execution ${milliseconds(executionUs)} ms \u00b7 ${milliseconds(durationUs)} ms in all`,
    `${counted(kv.gets, 'read')} by key \u00b7 ${counted(kv.scans, 'range')} scanned, ${count(kv.iterated)} entries \u00b7 ${size(kv.bytesRead)}`,
    ...(wrong === 0
      ? []
      : [
          `${counted(wrong, 'estimate')} ${wrong === 1 ? 'is' : 'are'} wrong by ${wrongFactor} times or more: \`svc docs explain\` describes remedies`,
        ]),
  ];
}

function wrongRows(statements: readonly StatementReport[]): readonly PlanRow[] {
  return statements.flatMap(({ trees }) =>
    trees.flatMap(({ rows }) => rows.filter(({ measured }) => isWrong(measured))),
  );
}

/** Returns the report as data. Times are in microseconds. */
export function reportFacts({ statements, diagnostics }: Report): object {
  return {
    analyzed: diagnostics !== undefined,
    ...(diagnostics && {
      planningMicros: diagnostics.planningUs,
      executionMicros: diagnostics.executionUs,
      durationMicros: diagnostics.durationUs,
      kv: diagnostics.kv,
      wrongEstimates: wrongRows(statements).length,
    }),
    statements: statements.map((statement) => {
      const { name, kind, rows, trees, told } = statement;
      const micros = statementMicros(statement);
      const root = trees.at(-1);
      return {
        name,
        kind,
        ...(rows !== undefined && { rows }),
        ...(micros !== undefined && { micros }),
        ...(told?.operatorTrace && {
          unattributedMicros: told.operatorTrace.unattributedMicros,
          operatorsDropped: told.operatorTrace.dropped,
        }),
        ...(told?.physicalStorage && { storage: told.physicalStorage }),
        ...(root !== undefined && {
          bindings: trees
            .slice(0, -1)
            .map((tree) => ({ title: tree.title, operators: operatorsOf(tree) })),
          operators: operatorsOf(root),
        }),
      };
    }),
  };
}

/** Returns a flat list in drawing order. A nested chain of thousands of operators would consist mostly of indentation. */
function operatorsOf({ rows }: PlanTree): readonly object[] {
  return rows.map(({ node, measured, above }) => {
    const { inputs: _, ...own } = node;
    return {
      ...own,
      above: rows[above]?.node.id ?? null,
      ...(measured && {
        runs: measured.runs,
        rows: measured.rows,
        total_micros: measured.totalMicros,
        self_micros: measured.selfMicros,
        calls: measured.calls,
        complete: measured.isComplete,
        ...(measured.miss && {
          estimate_error: Math.round(measured.miss.factor * 100) / 100,
          estimate_wrong: isWrong(measured),
        }),
      }),
    };
  });
}
