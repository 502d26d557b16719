/** What binding one query carries along: the document, what its names may mean, and how a violation is reported. */

import type { Pace, Pending } from '#base';
import { type Catalog, type Principal, type Table, tableByName } from '#catalog';
import { type DatabaseError, fail, type ProblemLocation, type Reason } from '#failure';
import { locate, type Query } from '#lir';
import type { BoundBinding, BoundColumn, BoundOutput } from './bound.ts';
import type { BoundCrossings } from './bound-crossings.ts';
import { type Extent, orderTermsMax, relationColumnsMax } from './extent.ts';

/** The recursive binding whose bodies are being bound. */
interface Recursion {
  readonly binding: string;
  readonly phase: 'anchor' | 'step';
  readonly columns: readonly BoundOutput[];
  /** How often the frontier was met. */
  uses: number;
}

/** What surrounds a document: the catalog, and what stands before it in its program. */
export interface Surroundings {
  readonly catalog: Catalog;
  /** Whose program it is: names are those that this one sees. */
  readonly principal: Principal;
  /** Results of earlier relational statements. */
  readonly results: ReadonlyMap<string, readonly BoundOutput[]>;
  /** Names of all relational statements of the program. */
  readonly reserved: ReadonlySet<string>;
  /** Pointer of the document in the request body; empty for a body that is the document. */
  readonly pointer: string;
  readonly statement: string | undefined;
  /** How much the relations of the program have come to so far. */
  readonly extent: Extent;
  readonly pace: Pace;
}

/** What binding a relation costs beside its columns, measured in rows of work. */
const relationWork = 32;
/** What binding an expression costs, measured in rows of work: a node may have very many. */
const expressionWork = 8;

/** Binding, planning and running what nests recurse. */
const depthMax = 3_000;

export class BindContext {
  readonly query: Query;
  readonly around: Surroundings;
  readonly bindings = new Map<string, BoundBinding>();
  /** Of the expressions that are bound next. */
  readonly crossings: BoundCrossings = new Map();
  /** Nodes whose expressions hold crossings. */
  readonly crossed: ReadonlySet<string>;
  /** Every scope label of the document that was bound so far. */
  labels = new Set<string>();
  recursion: Recursion | undefined;
  /** How many relations and expressions are being bound, one inside the other. */
  depth = 0;
  /** How many relations and expressions have been bound. */
  parts = 0;
  private columnId = 0;
  private partsPaid = 0;

  constructor(query: Query, around: Surroundings, crossed: ReadonlySet<string>) {
    this.query = query;
    this.crossed = crossed;
    this.around = around;
  }

  /** Before binding what stands inside of something else; `leave` follows. */
  enter(part: object, node: string): void {
    this.parts++;
    if (++this.depth <= depthMax) return;
    const detail = `relations and expressions nest at most ${depthMax} levels deep together`;
    throw this.reject(part, 'invalid', detail, { node });
  }

  leave(): void {
    this.depth--;
  }

  /** Before the next relation is bound. */
  pause(): Pending | undefined {
    return this.around.pace.pause(relationWork + this.partsSince());
  }

  /** Before the next expression of a relation is bound, of which there may be very many. */
  pauseWithin(): Pending | undefined {
    return this.around.pace.pause(expressionWork + this.partsSince());
  }

  /** What was bound since the last pause. */
  private partsSince(): number {
    const parts = this.parts - this.partsPaid;
    this.partsPaid = this.parts;
    return parts;
  }

  /** After a relation was bound. */
  made(part: object, node: string, columns: number): void {
    const { extent } = this.around;
    this.checkWidth(part, node, columns);
    if (extent.add(columns)) return;
    throw this.reject(part, 'invalid', extent.detail, { node });
  }

  /** Columns of one relation: all of them are looked at in one go, again and again. */
  checkWidth(part: object, node: string, columns: number): void {
    if (columns <= relationColumnsMax) return;
    const detail = `a relation has at most ${relationColumnsMax} columns, this one has ${columns}: project those that are used`;
    throw this.reject(part, 'invalid', detail, { node });
  }

  /** Terms of one order: rows are kept with the values of all of them. */
  checkTerms(part: object, node: string, terms: number): void {
    if (terms <= orderTermsMax) return;
    const detail = `an order has at most ${orderTermsMax} terms, this one has ${terms}: those behind the first that tell all rows apart change nothing`;
    throw this.reject(part, 'invalid', detail, { node });
  }

  /** A new column like `output`. */
  column(output: BoundOutput): BoundColumn {
    const { name, type, nullable } = output;
    return { id: this.columnId++, name, type, nullable };
  }

  table(name: string): Table | undefined {
    return tableByName(this.around.catalog, name);
  }

  /** The failure to throw for a violation at `part`, an object of the document, or `beneath` it, or where `where` points. */
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
