/** The definition of a LIR document (docs/lir.md §3), together with all other definitions of the LIR grammar. */

import { Type } from '@sinclair/typebox';
import type { Binding, Node, Root } from '#lir';
import { closed, mapOf, name, oneOf, optional, ref, tag, variants } from '../schema/shapes.ts';
import { expressionDefinitions } from './expression.ts';
import { literalDefinitions } from './literal.ts';
import { nodeDefinitions } from './node.ts';

const body = name('The root node of the body.');

export const lirDefinitions = {
  Query: closed('One query: relation nodes by id, named bindings, and the root.', {
    nodes: mapOf<Node>('The nodes by id. Each has exactly one consumer.', 'Node'),
    bindings: optional(
      mapOf<Binding>('Relations by name, which any number of `ref` nodes may read.', 'Binding'),
    ),
    root: ref<Root>('Root'),
  }),
  Root: closed('The root node and the shape of the result.', {
    node: name('The id of the root node.'),
    cardinality: oneOf(
      '`many`: an array of objects, ordered. `first`: the first row or null. `exactly_one`: the only row. `scalar`: the value of the only column of at most one row.',
      ['many', 'first', 'exactly_one', 'scalar'],
    ),
    unordered: optional(
      Type.Boolean({
        description:
          'True if `many` and `first` accept a root without an order; the rows then have any order. False if absent.',
      }),
    ),
  }),
  Binding: variants<Binding>('A named relation.', ['DerivedBinding', 'RecursiveBinding']),
  DerivedBinding: closed('A relation that is evaluated once and may be read any number of times.', {
    kind: tag('derived'),
    node: body,
  }),
  RecursiveBinding: closed(
    'A relation that grows in rounds until a round adds no row: first the anchor, then the step over the rows of the previous round.',
    {
      kind: tag('recursive'),
      anchor: name('The root node of the anchor.'),
      step: name('The root node of the step, which contains one `recursive_ref`.'),
      accumulation: oneOf(
        '`all`: a round adds all its rows. `new`: it adds only rows that are not in the relation yet.',
        ['all', 'new'],
      ),
    },
  ),
  ...nodeDefinitions,
  ...expressionDefinitions,
  ...literalDefinitions,
};
