/** Bombs 11, 12 and 16: one thing read or kept a thousand times. */

import { ask, count, type Node, program, query, ref, relation, scan } from '../../programs/lir.ts';
import { bombs } from './bomb.ts';

export const manyRefs = bombs({
  name: 'bomb-refs',
  does: '11: a binding of the whole table read by 1,000 refs',
  body: () => {
    const nodes: Record<string, Node> = { s: scan('item', 's') };
    const inputs = Array.from({ length: 1000 }, (_, i) => `r${i}`);
    for (const id of inputs) nodes[id] = ref('all', id);
    nodes['u'] = { kind: 'concatenate', inputs, scope: 'u' };
    nodes['c'] = count('u');
    return ask(relation(nodes, 'c', 'scalar', { all: { kind: 'derived', node: 's' } }));
  },
});

export const keptResults = bombs({
  name: 'bomb-kept-results',
  does: '12: 1,000 kept results of the whole table',
  body: () => {
    const whole = relation({ s: scan('item', 's') }, 's', 'exactly_one');
    const kept = Array.from({ length: 999 }, (_, i) => query(whole, `k${i}`));
    const last = relation({ s: scan('digit', 's'), c: count('s') }, 'c', 'scalar');
    return program([...kept, query(last)]);
  },
});

export const manyScans = bombs({
  name: 'bomb-concatenate',
  does: '16: concatenate of 9,000 scans',
  body: () => {
    const nodes: Record<string, Node> = {};
    const inputs = Array.from({ length: 9000 }, (_, i) => `s${i}`);
    for (const id of inputs) nodes[id] = scan('item', id);
    nodes['u'] = { kind: 'concatenate', inputs, scope: 'u' };
    nodes['c'] = count('u');
    return ask(relation(nodes, 'c', 'scalar'));
  },
});
