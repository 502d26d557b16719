/** Plans programs: statements are bound and planned in order, each against the catalog after the earlier ones (docs/pir.md §9, step 4). */

import type { Principal } from '#access';
import type { Steps, YieldPolicy } from '#base';
import {
  applyChange,
  type Catalog,
  startTransition,
  type Table,
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
import type { PlanFeedback, Statistics } from '#statistics';
import type { BoundQuery } from '../bind/bound.ts';
import { bindChanged } from '../bind/changed-rows.ts';
import { outputOf } from '../bind/columns.ts';
import {
  type BindContext,
  quoted,
  type StatementRows,
  type Surroundings,
} from '../bind/context.ts';
import { Extent } from '../bind/extent.ts';
import { checkMutation } from '../bind/mutation.ts';
import { isPoliced } from '../bind/policy.ts';
import { ProgramNeeds, scopesOf } from '../bind/program-needs.ts';
import { bindQuery } from '../bind/query.ts';
import { hasSequence } from '../bind/row-sequence.ts';
import { scalarType } from '../bind/types.ts';
import { TableRows } from '../cost/table-rows.ts';
import { type ColumnsUsed, columnsUsed } from '../facts/columns-used.ts';
import { Parameters, type PlanOptions, type Setting } from '../lower/planning.ts';
import { pointLookupsOf, readBoundOf } from '../plan/access-facts.ts';
import type {
  MutationPolicies,
  MutationStatementPlan,
  ProgramPlan,
  QueryPlan,
  QueryStatementPlan,
  StatementPlan,
} from '../plan/program.ts';
import { planBoundQuery, type RootUse } from './plan-query.ts';
import { referencedStatements } from './referenced.ts';
import { touchedTables } from './touched.ts';

/** The inputs of planning a program. */
export interface PlanSetting {
  readonly catalog: Catalog;
  /** The principal that sent the program. */
  readonly principal: Principal;
  readonly options: PlanOptions;
  /** Statistics of the tables. Without them, the planner uses its defaults. */
  readonly statistics?: Statistics | undefined;
  /** Cardinality feedback of earlier executions; absent if none is collected. */
  readonly experience?: PlanFeedback | undefined;
  readonly pace: YieldPolicy;
}

/** The result that the request needs from the program. */
interface ProgramUse {
  /** The statement whose rows are returned, as `checkEnvelope` selected it. */
  readonly result: string | undefined;
  /**
   * The document is the relation of a single statement. Locations point into the document. The number of rows is not reported, so a run reads only the rows
   * that the cardinality needs.
   */
  readonly isQuery?: boolean;
}

/** Plans a program. Throws for the first violation, and yields as `pace` demands. */
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

/** Work of a relational statement in addition to its relation, measured in rows. A catalog change costs time in proportion to the catalog, so it always offers a yield. */
const statementWork = 64;

/** Maximum number of relations and expressions of a query whose executions are compared with its estimates. */
const familyPartsMax = 2_000;

class ProgramPlanner {
  private readonly result: string | undefined;
  private readonly isQuery: boolean;
  private readonly principal: Principal;
  private readonly setting: Setting;
  private readonly experience: PlanFeedback | undefined;
  private readonly extent = new Extent();
  private readonly needs = new ProgramNeeds();
  private readonly plans: StatementPlan[] = [];
  private readonly results = new Map<string, StatementRows>();
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
    // The statement of a query does not occur in the document, so its name is not reserved.
    const named = isQuery ? [] : statements.filter(isRelational);
    this.reserved = new Set(named.map(({ name }) => name));
    this.referenced = referencedStatements(statements, result);
  }

  *add(statement: Statement, index: number): Steps<void> {
    this.needs.needScopes(scopesOf(statement));
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
      needs: this.needs,
      isReadOnly: this.plans.every(({ kind }) => kind === 'query'),
      readBound: readBoundOf(this.plans),
      pointLookups:
        tableEstimates.length > 0 || this.needs.isPoliced ? undefined : pointLookupsOf(this.plans),
      catalog,
      catalogAfter: this.catalog,
      tables: touchedTables(this.plans),
      tableEstimates,
      parameters: this.setting.parameters.values,
      sources: this.setting.parameters.sources,
      claims: this.setting.parameters.claims,
      isPoliced: this.needs.isPoliced,
    };
  }

  private around(index: number, name: string): Surroundings {
    const { catalog, principal, results, reserved, extent, needs, isQuery } = this;
    const { pace } = this.setting;
    const pointer = isQuery ? '' : `/statements/${index}/relation`;
    const statement = isQuery ? undefined : name;
    return { catalog, principal, results, reserved, pointer, statement, extent, needs, pace };
  }

  private *addRelational(
    { name, relation }: RelationalStatement,
    around: Surroundings,
  ): Steps<void> {
    const { bound } = yield* bindQuery(relation, around, 'observed');
    if (this.isQuery) this.columnsUsed = yield* columnsUsed(relation, bound, this.setting.pace);
    // All rows of a statement count as affected, so its root is not limited. Its order matters only if the rows are shown.
    const use: RootUse = {
      ordered: name === this.result && bound.root.ordered && isOrderSeen(relation),
      limit: this.isQuery ? rowsTaken(relation) : undefined,
    };
    const query = yield* this.planOf(bound, use, relation);
    const { cardinality } = bound;
    const { columns } = bound.root;
    this.push({ kind: 'query', name, query, cardinality }, { columns, ordered: false });
  }

  private *addMutation(statement: MutationStatement, around: Surroundings): Steps<void> {
    const { kind, name } = statement;
    const { bound, context } = yield* bindQuery(statement.relation, around, 'mutation');
    const { root } = bound;
    const { table, positions, ordered } = checkMutation(context, statement, root);
    const use: RootUse = { ordered: ordered && hasSequence(root), limit: undefined };
    const action = `${ordered ? 'ordered ' : ''}${kind} ${table.id}`;
    const query = yield* this.planOf(bound, use, statement.relation, action);
    const columns = table.columns.map(({ name, type, nullable }) => ({
      name,
      type: scalarType(type),
      nullable,
    }));
    const policies = yield* this.policiesOf(context, table, kind);
    const plan = {
      ...{ kind, name, query, table, columnIndexes: positions, output: outputOf(columns) },
      ...(policies && { policies }),
      ...(ordered && { ordered }),
    };
    const rows = { columns, ordered };
    this.push(root.kind === 'rows' ? { ...plan, rowsNode: root.node } : plan, rows);
  }

  private *policiesOf(
    context: BindContext,
    table: Table,
    kind: MutationStatement['kind'],
  ): Steps<MutationPolicies | undefined> {
    if (!isPoliced(context)) return undefined;
    const { before, after } = yield* bindChanged(context, table, kind);
    const use: RootUse = { ordered: false, limit: undefined };
    return {
      ...(before && { before: yield* planBoundQuery(before, use, this.setting) }),
      ...(after && { after: yield* planBoundQuery(after, use, this.setting) }),
    };
  }

  /** Plans a query with the feedback of earlier executions of the family, if their estimates were wrong. */
  private *planOf(
    bound: BoundQuery,
    use: RootUse,
    document: Query,
    context = '',
  ): Steps<QueryPlan> {
    const { experience, setting, principal } = this;
    if (experience === undefined || bound.parts > familyPartsMax) {
      return yield* planBoundQuery(bound, use, setting);
    }
    // Row counts that one class of principals has met must not change the plans of another.
    const { key } = principal.visibility;
    const family = familyOf(document, key === '' ? context : `${context} ${key}`);
    const seen = experience.seenBy(family);
    // Another correction may be published while the plan is made, so its number is read before.
    const correction = seen === undefined ? 0 : experience.correctionOf(family);
    const plan = yield* planBoundQuery(bound, use, { ...setting, seen });
    return { ...plan, family, correction };
  }

  private push(plan: QueryStatementPlan | MutationStatementPlan, rows: StatementRows): void {
    const { catalog } = this;
    const isReferenced = this.referenced.has(plan.name);
    this.plans.push({ ...plan, catalog, isReferenced });
    this.results.set(plan.name, rows);
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

/** Runs `work`, and adds the name and location of the statement to an error that it throws. */
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

/** Returns the number of rows after which the result of a QUERY request is determined; `undefined` if all rows are needed. */
function rowsTaken({ root: { cardinality } }: Query): number | undefined {
  if (cardinality === 'first') return 1;
  return cardinality === 'exactly_one' ? 2 : undefined;
}
