/** Checks the bodies of the catalog endpoints and converts them into definitions of the catalog. Pointers start with `/body`. */

import type { ColumnDefinition, IndexDefinition, TableDefinition } from '#catalog';
import { bodyCheck } from '../check/body.ts';
import type { Check } from '../check/check.ts';
import type { Definitions } from '../check/json-schema.ts';
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

function catalogCheck<Body>(name: Name): (json: unknown) => Body {
  const more = { ColumnDef: checkDefault };
  return bodyCheck(name, catalogBodyDefinitions as Definitions, more);
}

const checkTable = catalogCheck<TableDefBody>('TableDef');
const checkColumn = catalogCheck<ColumnDefBody>('ColumnDef');

/** Checks the body of `POST /tables`. */
export function checkTableDefinition(json: unknown): TableDefinition {
  return toTableDefinition(checkTable(json));
}

/** Checks the body of `POST /tables/{table}/columns`. */
export function checkColumnDefinition(json: unknown): ColumnDefinition {
  return toColumnDefinition(checkColumn(json));
}

/** Checks the body of `POST /tables/{table}/indexes`. */
export const checkIndexDefinition: (json: unknown) => IndexDefinition = catalogCheck('IndexInfo');

/** Checks the body of `PATCH /tables/{table}`. */
export const checkTableUpdate: (json: unknown) => { readonly name: string } =
  catalogCheck('TableUpdateProps');

/** Checks the body of `PATCH /tables/{table}/columns/{column}`. */
export const checkColumnUpdate: (json: unknown) => { readonly name: string } =
  catalogCheck('ColumnUpdateProps');
