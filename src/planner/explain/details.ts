/** Details of a plan node beyond its kind: named texts in display order. */

import { unreachable } from '#base';
import { columnNames } from '#catalog';
import type { PlanExpression } from '../plan/expression.ts';
import type { ProgramPlan } from '../plan/program.ts';
import type {
  Access,
  CrossingPlan,
  KeyInterval,
  RelationPlan,
  ScanPlan,
} from '../plan/relation.ts';
import { countAt, type RowCount } from '../plan/row-count.ts';
import { expressionText, type Names } from './expression-text.ts';

export type Details = Readonly<Record<string, string | number | readonly string[]>>;

/** The parts of a program plan to which the details refer. */
export type ExplainContext = Pick<ProgramPlan, 'parameters' | 'tableEstimates'> & {
  readonly hidesLiterals?: boolean | undefined;
};

export function detailsOf(plan: RelationPlan, known: ExplainContext): Details {
  const { parameters, hidesLiterals } = known;
  const count = (of: RowCount) => (hidesLiterals === true ? '?' : countAt(of, parameters));
  switch (plan.kind) {
    case 'scan':
      return scanDetails(plan, known);
    case 'rows':
    case 'distinct':
    case 'concatenate':
      return {};
    case 'filter':
      return { predicate: expressionText(plan.predicate, { columns: plan.output, ...known }) };
    case 'project':
      return { fields: texts(plan.expressions, { columns: plan.input.output, ...known }) };
    case 'hash_join':
    case 'merge_join':
    case 'lookup_join':
    case 'loop_join':
      return joinDetails(plan, known);
    case 'attach':
      return { crossings: plan.crossings.map(crossingText) };
    case 'spool':
      return {
        keys: texts(plan.keys, { columns: plan.input.output, ...known }),
        probe: texts(plan.probe, { columns: [], ...known }),
      };
    case 'aggregate':
      return aggregateDetails(plan, known);
    case 'sort': {
      const names = { columns: plan.input.output, ...known };
      const terms = plan.terms.map(
        ({ expression, descending }) =>
          expressionText(expression, names) + (descending ? ' desc' : ''),
      );
      const { limit: top, presorted } = plan;
      const taken = top === undefined ? {} : { top: count(top) };
      return { terms, ...taken, ...(presorted && { presorted }) };
    }
    case 'slice': {
      const offset = count(plan.offset);
      const limit = plan.limit === undefined ? undefined : count(plan.limit);
      return { ...(offset !== 0 && { offset }), ...(limit !== undefined && { limit }) };
    }
    case 'intersect':
    case 'except':
      return { quantifier: plan.quantifier };
    case 'materialized':
      return { of: `${plan.source.kind} ${plan.source.name}` };
    case 'frontier':
      return { of: `binding ${plan.binding}` };
    default:
      return unreachable(plan);
  }
}

function crossingText({ column, ahead, isChecked }: CrossingPlan): string {
  const name = isChecked ? `${column.name} of at most one row` : column.name;
  if (ahead === undefined) return name;
  const together = ahead.together ? ', run for many at once' : '';
  return `${name}, ${ahead.rows} rows of each read ahead${together}`;
}

function texts(expressions: readonly PlanExpression[], names: Names): readonly string[] {
  return expressions.map((expression) => expressionText(expression, names));
}

function scanDetails(plan: ScanPlan, known: ExplainContext): Details {
  const facts = known.tableEstimates.find((it) => it.table.id === plan.table.id)?.surveyFacts;
  const { table, access, reverse, why } = plan;
  return {
    table: table.name,
    access: accessText(plan, access, known),
    ...(plan.isCovered && { rows: 'from the index alone' }),
    ...(reverse && { direction: 'backward' }),
    columns: plan.columns.map(({ name }) => name),
    ...(facts !== undefined && { survey: surveyText(facts) }),
    ...(why !== undefined && { why }),
  };
}

function surveyText({
  coverage,
  observedRows,
  tableRows,
  ageMs,
  changes,
}: NonNullable<ExplainContext['tableEstimates'][number]['surveyFacts']>): string {
  const parts = {
    complete: `all of ${observedRows} rows`,
    sample: `${observedRows} of ${tableRows} rows, from all over the table`,
    prefixLimit: `the first ${observedRows} of ${tableRows} rows`,
  };
  const since = changes === 0 ? '' : `, ${Math.round(changes)} rows changed since`;
  return `${parts[coverage]}, ${Math.round(ageMs / 1000)} s ago${since}`;
}

function accessText({ table }: ScanPlan, access: Access, known: ExplainContext): string {
  if (access.kind === 'table') return 'whole table';
  const isIndex = access.kind === 'index';
  const title = isIndex ? `index ${access.index.name}` : 'primary key';
  const key = columnNames(table, isIndex ? access.index.columns : table.primaryKey);
  const parts = intervalParts(access.interval, key, known);
  return parts.length === 0 ? `${title}, all in order` : `${title}: ${parts.join(', ')}`;
}

function intervalParts(
  { prefix, among, lower, upper }: KeyInterval,
  key: readonly string[],
  known: ExplainContext,
): readonly string[] {
  const text = (value: PlanExpression) => expressionText(value, { columns: [], ...known });
  const next = key[prefix.length];
  return [
    ...prefix.map(({ value, isNull }, i) =>
      isNull ? `${key[i]} is null` : `${key[i]} = ${text(value)}`,
    ),
    ...(among ? [`${next} one of ${among.map(text).join('; ')}`] : []),
    ...(lower ? [`${next} ${lower.inclusive ? '>=' : '>'} ${text(lower.value)}`] : []),
    ...(upper ? [`${next} ${upper.inclusive ? '<=' : '<'} ${text(upper.value)}`] : []),
  ];
}

function joinDetails(
  plan: Extract<RelationPlan, { kind: 'hash_join' | 'merge_join' | 'lookup_join' | 'loop_join' }>,
  known: ExplainContext,
): Details {
  const { join } = plan;
  const names = { columns: plan.output, ...known };
  if (plan.kind === 'loop_join') return { join, on: expressionText(plan.on, names) };
  if (plan.kind === 'merge_join') {
    const { held, isUnique, leftKeys, rightKeys } = plan;
    const nameOf = ({ output }: RelationPlan, columnIndex: number) => output[columnIndex]?.name;
    const on = leftKeys.map(
      (columnIndex, i) =>
        `${nameOf(plan.left, columnIndex)} = ${nameOf(plan.right, rightKeys[i] as number)}`,
    );
    return { join, on, held, rows_of_key: isUnique ? 'one' : 'many' };
  }
  const residual = plan.residual && { residual: expressionText(plan.residual, names) };
  if (plan.kind === 'lookup_join') {
    const registers = plan.registers.map(
      ({ register, columnIndex }) => `outer ${register} = ${plan.left.output[columnIndex]?.name}`,
    );
    return { join, registers, ...residual };
  }
  const left = texts(plan.leftKeys, { columns: plan.left.output, ...known });
  const right = texts(plan.rightKeys, { columns: plan.right.output, ...known });
  const on = left.map((key, i) => `${key} = ${right[i]}`);
  return { join, on, build: plan.build, ...residual };
}

function aggregateDetails(
  plan: Extract<RelationPlan, { kind: 'aggregate' }>,
  known: ExplainContext,
): Details {
  const names = { columns: plan.input.output, ...known };
  const folds = plan.folds.map(({ fn, argument }) =>
    argument === undefined ? `${fn}()` : `${fn}(${expressionText(argument, names)})`,
  );
  return { groups: texts(plan.groups, names), folds };
}
