/** Definitions of the PIR statements over relations and on transitions (docs/pir.md §2, §4, §7). */

import { type TProperties, Type } from '@sinclair/typebox';
import type { ConstraintDefinition, IndexDefinition, ReplacementDefinition } from '#catalog';
import type { Query } from '#lir';
import { closed, distinctNames, name, optional, ref, tag } from '../schema/shapes.ts';
import { prerequisites, schemaId } from './definition.ts';

export const statementName = name('The name of the statement; unique in the program.');
const tableId = schemaId('The stable id of the table.');
export const columnId = schemaId('The stable id of the column within its table.');

/** Returns the definition of a statement that names its table by id and has these additional `members`. */
export function onTable<const K extends string, P extends TProperties>(
  kind: K,
  description: string,
  members: P,
) {
  return closed(description, {
    kind: tag(kind),
    name: statementName,
    table_id: tableId,
    ...members,
  });
}

const relation = Type.Unsafe<Query>({
  description: 'A LIR document, see lir.schema.json. It may read earlier statements by name.',
  type: 'object',
});
const table = name('The name of the table to change.');
const after = optional(
  distinctNames('Names of earlier transition starts that must be ready before this one starts.'),
);

export const relationalDefinitions = {
  QueryStatement: closed('Reads a relation.', {
    kind: tag('query'),
    name: statementName,
    relation,
  }),
  CreateStatement: closed('Creates the rows of a relation; absent columns take their default.', {
    kind: tag('create'),
    name: statementName,
    table,
    relation,
    ordered: optional(
      Type.Boolean({
        description:
          'True if numbers of `increment` and the result follow the order of the relation, or that of its `rows`; false if absent.',
      }),
    ),
  }),
  UpdateStatement: closed('Assigns columns of the rows that the relation names by primary key.', {
    kind: tag('update'),
    name: statementName,
    table,
    relation,
  }),
  DeleteStatement: closed('Deletes the rows that the relation names by primary key.', {
    kind: tag('delete'),
    name: statementName,
    table,
    relation,
  }),
};

export const transitionDefinitions = {
  StartIndexBuild: onTable(
    'start_index_build',
    'Starts to build an index while programs continue to use the table.',
    { index: ref<IndexDefinition>('IndexDefinition'), prerequisites, after },
  ),
  StartColumnReplacement: onTable(
    'start_column_replacement',
    'Starts to convert a column while programs continue to use the table.',
    {
      column_id: columnId,
      replacement: ref<ReplacementDefinition>('ReplacementDefinition'),
      after,
    },
  ),
  StartConstraintValidation: onTable(
    'start_constraint_validation',
    'Starts to validate a constraint while programs continue to use the table.',
    { constraint: ref<ConstraintDefinition>('ConstraintDefinition'), after },
  ),
};
