/** Programs: statements bound and planned in order, each against the catalog that the earlier ones leave (pir.md §2, phase 4). */

import type { Pace, Steps } from '#base';
import {
  applyChange,
  type Catalog,
  type Principal,
  startTransition,
  transitionControl,
} from '#catalog';
import { DatabaseError, fail } from '#failure';
import { familyOf, type Query } from '#lir';
import {
  type CatalogStatement,
  isCatalog,
  isMutation,
  isRelational,
  isTransition,
  type MutationStatement,
  type Program,
  type RelationalStatement,
  type Statement,
  type TransitionStatement,
} from '#pir';
import type { Experience, Statistics } from '#statistics';
import type { BoundOutput, BoundQuery } from '../bind/bound.ts';
import { outputOf } from '../bind/columns.ts';
import { quoted, type Surroundings } from '../bind/context.ts';
import { Extent } from '../bind/extent.ts';
import { checkMutation } from '../bind/mutation.ts';
import { bindQuery } from '../bind/query.ts';
import { scalarType } from '../bind/types.ts';
import { TableRows } from '../cost/table-rows.ts';
import { type ColumnsUsed, columnsUsed } from '../facts/columns-used.ts';
import { Parameters, type PlanOptions, type Setting } from '../lower/planning.ts';
import { pointLookupsOf, readBoundOf } from '../plan/access-facts.ts';
import type {
  MutationStatementPlan,
  ProgramPlan,
  QueryPlan,
  QueryStatementPlan,
  StatementPlan,
} from '../plan/program.ts';
import { planBoundQuery, type RootUse } from './plan-query.ts';
import { referencedStatements } from './referenced.ts';
import { touchedTables } from './touched.ts';

/** What a program is planned against, and by whose time. */
export interface PlanSetting {
  readonly catalog: Catalog;
  /** Whose program it is. */
  readonly principal: Principal;
  readonly options: PlanOptions;
  /** Absent: nothing is known. */
  readonly statistics?: Statistics | undefined;
  /** How estimates have turned out; absent: nobody keeps count. */
  readonly experience?: Experience | undefined;
  readonly pace: Pace;
}

/** What is asked of the program. */
interface ProgramUse {
  /** The statement whose rows are returned, as `checkEnvelope` selected it. */
  readonly result: string | undefined;
  /**
   * The document is the relation of the one statement: locations point into it, and the number of its rows is not told, so that no more are read than
   * its cardinality takes.
   */
  readonly isQuery?: boolean;
}

/** Throws for the first violation; gives way as `pace` demands. */
export function* planProgramSteps(
  program: Program,
  use: ProgramUse,
  setting: PlanSetting,
): Steps<ProgramPlan> {
  const wait = setting.pace.pause(Infinity);
  if (wait !== undefined) yield wait;
  const planner = new ProgramPlanner(program.statements, use, setting);
  for (const [index, statement] of program.statements.entries()) {
    const wait = setting.pace.pause(isRelational(statement) ? statementWork : Infinity);
    if (wait !== undefined) yield wait;
    yield* planner.add(statement, index);
  }
  return planner.finish(setting.catalog);
}

/** What a statement costs beside its relation, measured in rows of work. A change of the catalog costs as much as the catalog is large. */
const statementWork = 64;

/** Relations and expressions of queries whose executions are compared with their estimates. */
const familyPartsMax = 2_000;

class ProgramPlanner {
  private readonly result: string | undefined;
  private readonly isQuery: boolean;
  private readonly principal: Principal;
  private readonly setting: Setting;
  private readonly experience: Experience | undefined;
  private readonly extent = new Extent();
  private readonly plans: StatementPlan[] = [];
  private readonly results = new Map<string, readonly BoundOutput[]>();
  private readonly reserved: ReadonlySet<string>;
  private readonly referenced: ReadonlySet<string>;
  /** Ids of the transitions that earlier statements start. */
  private readonly started = new Map<string, number>();
  private catalog: Catalog;
  private columnsUsed: ColumnsUsed | undefined;

  constructor(
    statements: readonly Statement[],
    { result, isQuery = false }: ProgramUse,
    { catalog, principal, options, statistics, experience, pace }: PlanSetting,
  ) {
    this.principal = principal;
    this.result = result;
    this.isQuery = isQuery;
    this.experience = experience;
    this.setting = {
      options,
      pace,
      parameters: new Parameters(),
      counts: new TableRows(statistics),
    };
    this.catalog = catalog;
    // The statement of a query stands nowhere in the document, and takes no name away.
    const named = isQuery ? [] : statements.filter(isRelational);
    this.reserved = new Set(named.map(({ name }) => name));
    this.referenced = referencedStatements(statements, result);
  }

  *add(statement: Statement, index: number): Steps<void> {
    if (isCatalog(statement)) {
      this.addChange(statement, index);
      return;
    }
    if (isTransition(statement)) {
      this.addStart(statement, index);
      return;
    }
    const around = this.around(index, statement.name);
    if (isMutation(statement)) yield* this.addMutation(statement, around);
    else yield* this.addRelational(statement, around);
  }

  finish(catalog: Catalog): ProgramPlan {
    const { tableEstimates } = this.setting.counts;
    return {
      statements: this.plans,
      isQuery: this.isQuery,
      columnsUsed: this.columnsUsed,
      result: this.result,
      isReadOnly: this.plans.every(({ kind }) => kind === 'query'),
      readBound: readBoundOf(this.plans),
      pointLookups: tableEstimates.length > 0 ? undefined : pointLookupsOf(this.plans),
      catalog,
      catalogAfter: this.catalog,
      tables: touchedTables(this.plans),
      tableEstimates,
      parameters: this.setting.parameters.values,
      sources: this.setting.parameters.sources,
    };
  }

  private around(index: number, name: string): Surroundings {
    const { catalog, principal, results, reserved, extent, isQuery } = this;
    const { pace } = this.setting;
    const pointer = isQuery ? '' : `/statements/${index}/relation`;
    const statement = isQuery ? undefined : name;
    return { catalog, principal, results, reserved, pointer, statement, extent, pace };
  }

  private *addRelational(
    { name, relation }: RelationalStatement,
    around: Surroundings,
  ): Steps<void> {
    const { bound } = yield* bindQuery(relation, around, 'observed');
    if (this.isQuery) this.columnsUsed = yield* columnsUsed(relation, bound, this.setting.pace);
    // All rows of a statement count as affected, so its root is not cut; its order matters only where it is shown.
    const use: RootUse = {
      ordered: name === this.result && isOrderSeen(relation),
      limit: this.isQuery ? rowsTaken(relation) : undefined,
    };
    const query = yield* this.planOf(bound, use, relation);
    const { cardinality } = bound;
    this.push({ kind: 'query', name, query, cardinality }, bound.root.columns);
  }

  private *addMutation(statement: MutationStatement, around: Surroundings): Steps<void> {
    const { kind, name } = statement;
    const { bound, context } = yield* bindQuery(statement.relation, around, 'mutation');
    const { table, positions: columnIndexes } = checkMutation(context, statement, bound.root);
    const use: RootUse = { ordered: false, limit: undefined };
    const query = yield* this.planOf(bound, use, statement.relation, `${kind} ${table.id}`);
    const columns = table.columns.map(({ name, type, nullable }) => ({
      name,
      type: scalarType(type),
      nullable,
    }));
    const plan = { kind, name, query, table, columnIndexes, output: outputOf(columns) };
    const { root } = bound;
    this.push(root.kind === 'rows' ? { ...plan, rowsNode: root.node } : plan, columns);
  }

  /** With what earlier executions of the family have seen, if their estimates were wrong. */
  private *planOf(
    bound: BoundQuery,
    use: RootUse,
    document: Query,
    context = '',
  ): Steps<QueryPlan> {
    const { experience, setting } = this;
    if (experience === undefined || bound.parts > familyPartsMax) {
      return yield* planBoundQuery(bound, use, setting);
    }
    const family = familyOf(document, context);
    const seen = experience.seenBy(family);
    // Another correction may be published while the plan is made.
    const correction = seen === undefined ? 0 : experience.correctionOf(family);
    const plan = yield* planBoundQuery(bound, use, { ...setting, seen });
    return { ...plan, family, correction };
  }

  private push(
    plan: QueryStatementPlan | MutationStatementPlan,
    columns: readonly BoundOutput[],
  ): void {
    const { catalog } = this;
    const isReferenced = this.referenced.has(plan.name);
    this.plans.push({ ...plan, catalog, isReferenced });
    this.results.set(plan.name, columns);
  }

  private addChange(statement: CatalogStatement, index: number): void {
    const { name } = statement;
    const { catalog } = this;
    const { catalog: after, effects } = named(statement, index, () =>
      applyChange(catalog, statement),
    );
    this.plans.push({ kind: 'catalog', name, effects, catalog, isReferenced: false });
    this.catalog = after;
  }

  private addStart(statement: TransitionStatement, index: number): void {
    const { name } = statement;
    const { catalog } = this;
    const { catalog: after, record } = named(statement, index, () => {
      const prerequisites = (statement.after ?? []).map((other) => this.startedBefore(other));
      return startTransition(catalog, statement, prerequisites);
    });
    const effects = [{ kind: 'record_transition', record }] as const;
    const control = transitionControl(record);
    this.plans.push({ kind: 'catalog', name, effects, control, catalog, isReferenced: false });
    this.started.set(name, record.id);
    this.catalog = after;
  }

  private startedBefore(name: string): number {
    const id = this.started.get(name);
    if (id !== undefined) return id;
    throw fail(
      'invalid',
      `after ${quoted(name)}: no earlier statement of that name starts a transition`,
    );
  }
}

/** A broken rule names its statement. */
function named<T>(statement: Statement, index: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const { failure } = error;
    const detail = `statement ${quoted(statement.name)}: ${failure.detail}`;
    const location = { pointer: `/statements/${index}`, binding: statement.name };
    throw new DatabaseError({ ...failure, detail, location }, { cause: error });
  }
}

function isOrderSeen({ root: { cardinality } }: Query): boolean {
  return cardinality === 'many' || cardinality === 'first';
}

/** Rows after which the answer of a QUERY request is known. */
function rowsTaken({ root: { cardinality } }: Query): number | undefined {
  if (cardinality === 'first') return 1;
  return cardinality === 'exactly_one' ? 2 : undefined;
}
