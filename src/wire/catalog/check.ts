/** From the bodies of the catalog endpoints to the definitions of the catalog. Pointers start with `/body`. */

import type { ColumnDefinition, IndexDefinition, TableDefinition } from '#catalog';
import type { Check } from '../check/check.ts';
import { compileDefinition } from '../check/compile.ts';
import type { Definitions } from '../check/json-schema.ts';
import { Report } from '../check/report.ts';
import { violation } from '../check/violation.ts';
import { defaultComplaint } from '../pir/default.ts';
import { type ColumnDefBody, catalogBodyDefinitions, type TableDefBody } from './body.ts';
import { toColumnDefault, toColumnDefinition, toTableDefinition } from './definition.ts';

const checkDefault: Check = (value, depth, report) => {
  const column = value as ColumnDefBody;
  const { type, format, default: given } = column;
  if (given === undefined) return;
  report.path[depth] = 'default';
  if (given.func !== undefined && given.value !== undefined) {
    report.found(depth + 1, 'a default has either `func` or `value`, not both');
    return;
  }
  const complaint = defaultComplaint(type, format, toColumnDefault(given));
  if (complaint === undefined) return;
  report.path[depth + 1] = given.func === undefined ? 'value' : 'func';
  report.found(depth + 2, complaint);
};

type Name = keyof typeof catalogBodyDefinitions;

/** A check of the body that this definition describes. */
function bodyCheck<Body>(name: Name): (json: unknown) => Body {
  const check = compileDefinition(name, catalogBodyDefinitions as Definitions, {
    ColumnDef: checkDefault,
  });
  return (json) => {
    const report = new Report();
    check(json, 0, report);
    const { grammar } = report;
    if (grammar.length > 0) throw violation(grammar, { status: 422, prefix: '/body' });
    return json as Body;
  };
}

const checkTable = bodyCheck<TableDefBody>('TableDef');
const checkColumn = bodyCheck<ColumnDefBody>('ColumnDef');

/** The body of `POST /tables`. */
export function checkTableDefinition(json: unknown): TableDefinition {
  return toTableDefinition(checkTable(json));
}

/** The body of `POST /tables/{table}/columns`. */
export function checkColumnDefinition(json: unknown): ColumnDefinition {
  return toColumnDefinition(checkColumn(json));
}

/** The body of `POST /tables/{table}/indexes`. */
export const checkIndexDefinition: (json: unknown) => IndexDefinition = bodyCheck('IndexInfo');

/** The body of `PATCH /tables/{table}`. */
export const checkTableUpdate: (json: unknown) => { readonly name: string } =
  bodyCheck('TableUpdateProps');

/** The body of `PATCH /tables/{table}/columns/{column}`. */
export const checkColumnUpdate: (json: unknown) => { readonly name: string } =
  bodyCheck('ColumnUpdateProps');
