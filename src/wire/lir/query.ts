/** LIR documents (lir.md §1.1), and all definitions of the LIR grammar together. */

import type { Binding, Node, Root } from '#lir';
import { closed, mapOf, name, oneOf, optional, ref, tag, variants } from '../schema/shapes.ts';
import { expressionDefinitions } from './expression.ts';
import { literalDefinitions } from './literal.ts';
import { nodeDefinitions } from './node.ts';

const body = name('The node at which the body starts.');

export const lirDefinitions = {
  Query: closed('One query: relation nodes by id, named bindings, and the root.', {
    nodes: mapOf<Node>('The nodes by id. Each has exactly one consumer.', 'Node'),
    bindings: optional(
      mapOf<Binding>('Relations by name, to be read by any number of `ref` nodes.', 'Binding'),
    ),
    root: ref<Root>('Root'),
  }),
  Root: closed('Where the query starts and how its result is shaped.', {
    node: name('The id of the root node.'),
    cardinality: oneOf(
      '`many`: an array of objects, ordered. `first`: the first row or null. `exactly_one`: the only row. `scalar`: the value of the only column of at most one row.',
      ['many', 'first', 'exactly_one', 'scalar'],
    ),
  }),
  Binding: variants<Binding>('A named relation.', ['DerivedBinding', 'RecursiveBinding']),
  DerivedBinding: closed('A relation that is evaluated once and read any number of times.', {
    kind: tag('derived'),
    node: body,
  }),
  RecursiveBinding: closed(
    'A relation that grows round by round until a round adds no row: first the anchor, then the step over the rows of the round before.',
    {
      kind: tag('recursive'),
      anchor: name('The node at which the anchor starts.'),
      step: name('The node at which the step starts; it holds one `recursive_ref`.'),
      accumulation: oneOf('Whether a round adds all its rows or only rows not seen before.', [
        'all',
        'new',
      ]),
    },
  ),
  ...nodeDefinitions,
  ...expressionDefinitions,
  ...literalDefinitions,
};
