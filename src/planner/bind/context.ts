/** The state of binding one query: the document, the meaning of its names, and the errors of violations. */

import { type Principal, visibleTable } from '#access';
import type { Pending, YieldPolicy } from '#base';
import type { Catalog, Table } from '#catalog';
import { type DatabaseError, fail, type ProblemLocation, type Reason } from '#failure';
import { locate, type Query } from '#lir';
import type { BoundBinding, BoundColumn, BoundLiteral, BoundOutput } from './bound.ts';
import type { BoundCrossings } from './bound-crossings.ts';
import { type Extent, orderTermsMax, relationColumnsMax } from './extent.ts';
import type { ProgramNeeds } from './program-needs.ts';

/** The recursive binding whose bodies are being bound. */
interface Recursion {
  readonly binding: string;
  readonly phase: 'anchor' | 'step';
  readonly columns: readonly BoundOutput[];
  /** Number of references to the frontier so far. */
  uses: number;
}

/** The result of an earlier statement. */
export interface StatementRows {
  readonly columns: readonly BoundOutput[];
  readonly ordered: boolean;
}

/** The surroundings of a document: the catalog, and the earlier statements of its program. */
export interface Surroundings {
  readonly catalog: Catalog;
  /** The principal that sent the program. Names resolve to the objects that this principal can see. */
  readonly principal: Principal;
  /** Results of earlier relational statements. */
  readonly results: ReadonlyMap<string, StatementRows>;
  /** Names of all relational statements of the program. */
  readonly reserved: ReadonlySet<string>;
  /** JSON pointer of the document in the request body; empty if the body is the document. */
  readonly pointer: string;
  readonly statement: string | undefined;
  /** Total size of the relations of the program so far. */
  readonly extent: Extent;
  /** Receives each table that the document reads or changes. */
  readonly needs: ProgramNeeds;
  readonly pace: YieldPolicy;
  /** Returns a claim of the principal; `undefined` if the policies declare none of this name. This member is absent outside of policies. */
  readonly claim?: (name: string) => BoundLiteral | undefined;
}

/** Numbers the columns of a statement. */
class ColumnIds {
  private last = 0;

  next(): number {
    return this.last++;
  }
}

/** Work of binding a relation, in addition to its columns, measured in rows. */
const relationWork = 32;
/** Work of binding an expression, measured in rows. A node may contain a large number of them. */
const expressionWork = 8;

/** Maximum nesting depth. Binding, planning and execution recurse into nested parts. */
const depthMax = 3_000;

export class BindContext {
  readonly query: Query;
  readonly around: Surroundings;
  readonly bindings = new Map<string, BoundBinding>();
  /** The crossings of the expressions that are bound next. */
  readonly crossings: BoundCrossings = new Map();
  /** Nodes whose expressions contain crossings. */
  readonly crossed: ReadonlySet<string>;
  /** All scope labels of the document that have been bound so far. */
  labels = new Set<string>();
  recursion: Recursion | undefined;
  /** Number of relations and expressions that are currently being bound, each inside the previous one. */
  depth = 0;
  /** Number of relations and expressions that have been bound. */
  parts = 0;
  readonly ids: ColumnIds;
  private partsPaid = 0;

  constructor(
    query: Query,
    around: Surroundings,
    crossed: ReadonlySet<string>,
    ids = new ColumnIds(),
  ) {
    this.query = query;
    this.crossed = crossed;
    this.around = around;
    this.ids = ids;
  }

  /** Enters a nested part before it is bound. The caller calls `leave` afterwards. Throws if the nesting is too deep. */
  enter(part: object, node: string): void {
    this.parts++;
    if (++this.depth <= depthMax) return;
    const detail = `relations and expressions nest at most ${depthMax} levels deep together`;
    throw this.reject(part, 'invalid', detail, { node });
  }

  leave(): void {
    this.depth--;
  }

  /** Yields, if it is time to, before the next relation is bound. */
  pause(): Pending | undefined {
    return this.around.pace.pause(relationWork + this.partsSince());
  }

  /** Yields, if it is time to, before the next expression of a relation is bound. A relation may contain a large number of expressions. */
  pauseWithin(): Pending | undefined {
    return this.around.pace.pause(expressionWork + this.partsSince());
  }

  /** Returns the number of parts that were bound since the last pause. */
  private partsSince(): number {
    const parts = this.parts - this.partsPaid;
    this.partsPaid = this.parts;
    return parts;
  }

  /** Throws if a bound relation has too many columns, or makes the program exceed its limit. */
  made(part: object, node: string, columns: number): void {
    const { extent } = this.around;
    this.checkWidth(part, node, columns);
    if (extent.add(columns)) return;
    throw this.reject(part, 'invalid', extent.detail, { node });
  }

  /** Throws if a relation has too many columns. Several steps process all columns of a relation without a yield. */
  checkWidth(part: object, node: string, columns: number): void {
    if (columns <= relationColumnsMax) return;
    const detail = `a relation has at most ${relationColumnsMax} columns, this one has ${columns}; project only the columns that the query uses`;
    throw this.reject(part, 'invalid', detail, { node });
  }

  /** Throws if an order has too many terms. A sort stores the values of all terms with each row. */
  checkTerms(part: object, node: string, terms: number): void {
    if (terms <= orderTermsMax) return;
    const detail = `an order has at most ${orderTermsMax} terms, this one has ${terms}; remove the terms after a unique key, which change nothing`;
    throw this.reject(part, 'invalid', detail, { node });
  }

  /** Makes a column with a new id and the properties of `output`. */
  column(output: BoundOutput): BoundColumn {
    const { name, type, nullable } = output;
    return { id: this.ids.next(), name, type, nullable };
  }

  table(name: string): Table | undefined {
    const { catalog, principal } = this.around;
    return visibleTable(catalog, principal.visibility, name);
  }

  /**
   * Returns the error to throw for a violation. The error points to `part`, an object of the document, or to the path `beneath` it. `where`
   * overrides the location.
   */
  reject(
    part: object,
    reason: Reason,
    detail: string,
    where: ProblemLocation = {},
    beneath = '',
  ): DatabaseError {
    const { pointer, statement } = this.around;
    const within = (locate(this.query, part) ?? '') + beneath;
    const binding = where.binding ?? statement;
    const location = { pointer: pointer + within, ...where, ...(binding && { binding }) };
    const named = statement === undefined ? detail : `statement ${quoted(statement)}: ${detail}`;
    return fail(reason, named, { location });
  }
}

export function quoted(name: string): string {
  return JSON.stringify(name);
}
