/** The text of one statement under construction: its choices, its parameters, and the deviations that may show in its result. */

import type { Choices } from '../../../generative/choices.ts';
import { type TypeName, values } from '../tables.ts';

/** A column that expressions may name. */
export interface Named {
  /** With its qualifier, as the statement writes it. */
  readonly text: string;
  readonly type: TypeName;
}

/** The deviations of svc that a statement may show (docs/sql.md, Deviations). */
export type Deviation =
  /** int4 and int2 intermediates have 64 bits: svc finds no overflow where PostgreSQL does. */
  | 'wide_intermediates'
  /** Of several errors in different rows, each database finds another one first: svc checks constraints after all rows are computed. */
  | 'error_order'
  /** A column of a subquery that nothing reads is computed, so that its errors show. */
  | 'unread_columns'
  /** Rows of a query that conflict with each other are an error: svc does not choose the first one. */
  | 'conflicts_in_query'
  /** Unique indexes are checked at the end of an UPDATE, so that rows can exchange their values. */
  | 'statement_end'
  /** A key twice in ON CONFLICT DO UPDATE is an error, also if WHERE leaves the row as it is. */
  | 'key_twice'
  /** Several partners of one row are an error. */
  | 'several_partners';

export class Words {
  readonly choices: Choices;
  readonly parameters: (string | null)[] = [];
  readonly deviations = new Set<Deviation>();
  private names = 0;

  constructor(choices: Choices) {
    this.choices = choices;
  }

  /** A name that the statement does not contain yet. */
  fresh(prefix: string): string {
    this.names++;
    return `${prefix}${this.names}`;
  }

  /** A value as a literal with a type, or as a parameter. */
  value(type: TypeName): string {
    const value = this.choices.oneIn(12) ? null : this.choices.pick(values[type]);
    if (this.choices.oneIn(4))
      return this.parameter(value, this.choices.oneIn(2) ? type : undefined);
    return value === null ? `null::${type}` : literal(value, type);
  }

  /** A value whose type must come from its context. */
  untyped(type: TypeName): string {
    const value = this.choices.oneIn(12) ? null : this.choices.pick(values[type]);
    if (this.choices.oneIn(3)) return this.parameter(value, undefined);
    if (value === null) return 'null';
    if (isInteger(type) || type === 'float8')
      return this.choices.oneIn(4) ? `'${value}'` : literal(value, type);
    return `'${value}'`;
  }

  private parameter(value: string | null, type: TypeName | undefined): string {
    this.parameters.push(value);
    return `$${this.parameters.length}${type === undefined ? '' : `::${type}`}`;
  }
}

/** Fractions are numeric in PostgreSQL and float8 in svc, so they are written with their type. */
function literal(value: string, type: TypeName): string {
  if (isInteger(type)) return value.startsWith('-') ? `(${value})` : value;
  if (type === 'bool') return value;
  if (type === 'text') return `'${value}'::text`;
  return `'${value}'::${type}`;
}

export function isInteger(type: TypeName): boolean {
  return type === 'int2' || type === 'int4' || type === 'int8';
}

export function isText(type: TypeName): boolean {
  return type === 'text' || type === 'varchar(6)';
}

export const allTypes: readonly TypeName[] = [
  'int4',
  'text',
  'int8',
  'bool',
  'float8',
  'int2',
  'timestamptz',
  'date',
  'uuid',
  'bytea',
];
