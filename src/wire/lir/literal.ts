/** Definitions of LIR literals and of the columns of literal rows (docs/lir.md §6.1). */

import { Type } from '@sinclair/typebox';
import type { Literal } from '#lir';
import { type ScalarType, scalarTypes } from '#value';
import { closed, name, oneOf, optional, ref, tag, variants } from '../schema/shapes.ts';

const absent = 'Omit it for a NULL of this type.';

export const literalDefinitions = {
  ScalarType: oneOf<ScalarType>('The type of a scalar value.', scalarTypes),
  Literal: variants<Literal>('A typed constant. Without `value` it is a typed NULL.', [
    'TextLiteral',
    'Int64Literal',
    'Float64Literal',
    'BoolLiteral',
    'BytesLiteral',
  ]),
  TextLiteral: closed('A text constant.', {
    type: tag('text'),
    value: optional(Type.String({ description: `Any string, including the empty one. ${absent}` })),
  }),
  Int64Literal: closed('A 64-bit integer constant.', {
    type: tag('int64'),
    value: optional(
      Type.String({
        description: `Decimal digits without leading zeros, as a string so that no digit is lost. ${absent}`,
        pattern: '^-?(0|[1-9][0-9]*)$',
      }),
    ),
  }),
  Float64Literal: closed('A binary64 constant.', {
    type: tag('float64'),
    value: optional(
      Type.String({
        description: `A decimal number, with or without fraction and exponent; it must be finite. ${absent}`,
      }),
    ),
  }),
  BoolLiteral: closed(
    'A boolean constant. The NULL of this type is the third truth value, unknown.',
    {
      type: tag('bool'),
      value: optional(Type.Boolean({ description: `A JSON boolean. ${absent}` })),
    },
  ),
  BytesLiteral: closed('A byte string constant. Identifier text is not accepted here.', {
    type: tag('bytes'),
    value: optional(
      Type.String({
        description: `Canonical padded base64 of the standard alphabet. ${absent}`,
        contentEncoding: 'base64',
      }),
    ),
  }),
  Cell: Type.Unsafe<string | null>({
    description:
      'One value of a literal row, parsed by the type of its column: text verbatim, numbers in decimal, booleans as `true` or `false`, bytes as padded base64. JSON null is NULL.',
    type: ['string', 'null'],
  }),
  RowsColumn: closed('A column of literal rows.', {
    name: name('The name of the column; unique within the node.'),
    type: ref<ScalarType>('ScalarType'),
    nullable: optional(
      Type.Boolean({ description: 'True if cells of the column may be null; false if absent.' }),
    ),
  }),
};
