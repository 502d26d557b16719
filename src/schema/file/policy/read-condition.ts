/** Reads the condition of a rule, with the position of each part. */

import { isMap, isScalar, isSeq } from 'yaml';
import {
  catalogLimits,
  type PolicyConditionOf,
  type PolicyExpressionOf,
  type PolicyNodeOf,
} from '#catalog';
import { type Literal, pointerOf, type TextPart } from '#lir';
import { scalarTypes } from '#value';
import { spotOf } from '../document.ts';
import { type GrammarLevel, grammar, type MemberOf } from '../grammar.ts';
import { checkName } from '../names.ts';
import { kindOf, type Member, type Members, type Reader } from '../reader.ts';
import type { Spot } from '../source.ts';
import {
  binaryOperators,
  comparisons,
  expressionKinds,
  nodeKinds,
  partKinds,
  unaryOperators,
} from './policy-grammar.ts';
import { expressionHints, nodeHints, operatorHints } from './refused-kinds.ts';

type Expression = PolicyExpressionOf<string>;

/** Reads one condition. Its results are `undefined` if a part is not readable, which is reported. */
export class ConditionReader {
  readonly spots: Record<string, Spot> = {};
  private readonly reader: Reader;
  private parts = 0;

  constructor(reader: Reader) {
    this.reader = reader;
  }

  /** Reads an expression without `where`. */
  bare(member: Member): PolicyConditionOf<string> | undefined {
    const where = this.expression(member, '/where');
    return where && { where };
  }

  whole(member: Member): PolicyConditionOf<string> | undefined {
    const members = this.level(member, 'policy_condition', '');
    if (members === undefined) return undefined;
    const where = this.expression(members.get('where'), '/where');
    const given = members.get('nodes');
    if (given === undefined) return where && { where };
    const nodes = this.reader.entries(given)?.map((node) => this.node(node));
    const read = nodes?.filter((node) => node !== undefined);
    if (where === undefined || read === undefined || read.length !== nodes?.length)
      return undefined;
    return { where, ...(read.length > 0 && { nodes: Object.fromEntries(read) }) };
  }

  private node(member: Member): readonly [string, PolicyNodeOf<string>] | undefined {
    const { name, keySpot } = member;
    const path = `/nodes${pointerOf([name])}`;
    checkName({ value: name, spot: keySpot }, 'node', this.reader.findings);
    const kind = this.kindOf(member, 'node', nodeKinds, nodeHints);
    if (kind === undefined || !this.isOneMore(member.spot)) return undefined;
    const node = this.nodeOf(kind, member, path);
    this.spots[path] = keySpot;
    return node && [name, node];
  }

  private nodeOf(
    kind: (typeof nodeKinds)[number],
    member: Member,
    path: string,
  ): PolicyNodeOf<string> | undefined {
    switch (kind) {
      case 'scan': {
        const of = this.level(member, 'scan_node', path);
        const scope = this.name(of?.get('scope'), 'scope');
        const table = this.reader.text(of?.get('table'))?.value;
        return table === undefined || scope === undefined ? undefined : { kind, table, scope };
      }
      case 'filter': {
        const of = this.level(member, 'filter_node', path);
        const input = this.reader.text(of?.get('input'))?.value;
        const predicate = this.expression(of?.get('predicate'), `${path}/predicate`);
        return input === undefined || predicate === undefined
          ? undefined
          : { kind, input, predicate };
      }
      case 'join': {
        const of = this.level(member, 'join_node', path);
        const left = this.reader.text(of?.get('left'))?.value;
        const right = this.reader.text(of?.get('right'))?.value;
        const join = this.reader.word(of?.get('join'), ['inner'], joinHints);
        const on = this.expression(of?.get('on'), `${path}/on`);
        if (left === undefined || right === undefined) return undefined;
        return join === undefined || on === undefined ? undefined : { kind, left, right, join, on };
      }
    }
  }

  private expression(member: Member | undefined, path: string): Expression | undefined {
    if (member === undefined) return undefined;
    const kind = this.kindOf(member, 'expression', expressionKinds, expressionHints);
    if (kind === undefined || !this.isOneMore(member.spot)) return undefined;
    switch (kind) {
      case 'lit': {
        const value = this.literal(this.level(member, 'lit_expression', path)?.get('value'), path);
        return value && { kind, value };
      }
      case 'col': {
        const of = this.level(member, 'col_expression', path);
        const scope = this.reader.text(of?.get('scope'))?.value;
        const column = this.reader.text(of?.get('column'))?.value;
        return scope === undefined || column === undefined ? undefined : { kind, scope, column };
      }
      case 'claim': {
        const of = this.level(member, 'claim_expression', path);
        const name = this.reader.text(of?.get('name'))?.value;
        return name === undefined ? undefined : { kind, name };
      }
      case 'exists': {
        const of = this.level(member, 'exists_expression', path);
        const node = this.reader.text(of?.get('node'))?.value;
        return node === undefined ? undefined : { kind, node };
      }
      default:
        return this.operator(kind, member, path);
    }
  }

  private operator(
    kind: 'unary' | 'binary' | 'cast' | 'coalesce' | 'text_match',
    member: Member,
    path: string,
  ): Expression | undefined {
    switch (kind) {
      case 'unary': {
        const of = this.level(member, 'unary_expression', path);
        const op = this.reader.word(of?.get('op'), unaryOperators);
        const expr = this.expression(of?.get('expr'), `${path}/expr`);
        return op === undefined || expr === undefined ? undefined : { kind, op, expr };
      }
      case 'binary': {
        const of = this.level(member, 'binary_expression', path);
        const op = this.reader.word(of?.get('op'), binaryOperators, operatorHints);
        const left = this.expression(of?.get('left'), `${path}/left`);
        const right = this.expression(of?.get('right'), `${path}/right`);
        if (op === undefined || left === undefined || right === undefined) return undefined;
        return { kind, op, left, right };
      }
      case 'cast': {
        const of = this.level(member, 'cast_expression', path);
        const to = this.reader.word(of?.get('to'), scalarTypes);
        const expr = this.expression(of?.get('expr'), `${path}/expr`);
        return to === undefined || expr === undefined ? undefined : { kind, expr, to };
      }
      case 'coalesce': {
        const of = this.level(member, 'coalesce_expression', path);
        const args = this.items(of?.get('args'), 2, `${path}/args`, (item, at) =>
          this.expression(item, at),
        );
        return args && { kind, args };
      }
      case 'text_match':
        return this.textMatch(member, path);
    }
  }

  private textMatch(member: Member, path: string): Expression | undefined {
    const of = this.level(member, 'text_match_expression', path);
    const value = this.expression(of?.get('value'), `${path}/value`);
    const parts = this.items(of?.get('parts'), 1, `${path}/parts`, (item, at) =>
      this.part(item, at),
    );
    const given = of?.get('comparison');
    const comparison = this.reader.word(given, comparisons);
    if (value === undefined || parts === undefined) return undefined;
    if (given !== undefined && comparison === undefined) return undefined;
    return { kind: 'text_match', value, parts, ...(comparison !== undefined && { comparison }) };
  }

  private part(member: Member, path: string): TextPart | undefined {
    const kind = this.kindOf(member, 'part', partKinds, {});
    if (kind === undefined) return undefined;
    if (kind === 'any_many') return this.level(member, 'any_many_part', path) && { kind };
    const text = this.reader.text(this.level(member, 'literal_part', path)?.get('value'));
    if (text?.value === '')
      this.reader.findings.shape(text.spot, 'the text of a part must not be empty');
    return text === undefined || text.value === '' ? undefined : { kind, value: text.value };
  }

  private literal(member: Member | undefined, path: string): Literal | undefined {
    const of = member && this.level(member, 'literal', `${path}/value`);
    const type = this.reader.word(of?.get('type'), scalarTypes);
    const value = of?.get('value');
    if (type === undefined) return undefined;
    if (value === undefined) return { type };
    if (type !== 'bool') {
      const text = this.reader.text(value)?.value;
      return text === undefined ? undefined : { type, value: text };
    }
    if (isScalar(value.node) && typeof value.node.value === 'boolean') {
      return { type, value: value.node.value };
    }
    this.reader.findings.shape(
      value.spot,
      `value must be true or false, not ${kindOf(value.node)}`,
    );
    return undefined;
  }

  private items<Item>(
    member: Member | undefined,
    least: number,
    path: string,
    read: (item: Member, path: string) => Item | undefined,
  ): readonly Item[] | undefined {
    if (member === undefined) return undefined;
    const { name, node } = member;
    const items = this.reader.sequence(member).map((item, i) => {
      const spot = spotOf(item) ?? member.spot;
      const element = {
        name: `an item of ${name}`,
        keySpot: spot,
        node: item as Member['node'],
        spot,
      };
      return read(element, `${path}/${i}`);
    });
    if (isSeq(node) && items.length < least) {
      this.reader.findings.shape(
        member.spot,
        `${name} needs at least ${least === 1 ? 'one item' : 'two items'}`,
      );
    }
    const found = items.filter((item) => item !== undefined);
    return found.length < Math.max(least, items.length) ? undefined : found;
  }

  /** Returns the members of a level, and records their positions. */
  private level<L extends GrammarLevel>(
    { node, spot }: Member,
    level: L,
    path: string,
  ): Members<L> | undefined {
    const members = this.reader.mapping(node, level, spot);
    this.spots[path] = spot;
    for (const name of Object.keys(grammar[level].properties) as MemberOf<L>[]) {
      const member = members?.get(name);
      if (member !== undefined) this.spots[`${path}/${name}`] = member.spot;
    }
    return members;
  }

  /** Returns the kind of a part, by which its other members are read. */
  private kindOf<Kind extends string>(
    { node, spot }: Member,
    what: string,
    kinds: readonly Kind[],
    hints: Readonly<Record<string, string>>,
  ): Kind | undefined {
    const { findings } = this.reader;
    if (!isMap(node)) {
      findings.shape(spot, `the ${what} must be a mapping, not ${kindOf(node)}`);
      return undefined;
    }
    const kind = node.get('kind', true);
    if (kind === undefined) {
      findings.shape(
        spot,
        `the ${what} needs the member "kind"`,
        `its kinds are ${kinds.join(', ')}`,
      );
      return undefined;
    }
    const at = spotOf(kind) ?? spot;
    return this.reader.word({ name: 'kind', keySpot: at, node: kind, spot: at }, kinds, hints);
  }

  private name(member: Member | undefined, what: string): string | undefined {
    const text = this.reader.text(member);
    checkName(text, what, this.reader.findings);
    return text?.value;
  }

  private isOneMore(spot: Spot): boolean {
    this.parts++;
    if (this.parts === catalogLimits.policyParts + 1) {
      this.reader.findings.error(
        spot,
        `a condition has at most ${catalogLimits.policyParts} expressions and nodes`,
      );
    }
    return this.parts <= catalogLimits.policyParts;
  }
}

const joinHints = {
  left: 'only inner joins are possible here',
  right: 'only inner joins are possible here',
};
