/** Reads typed members from YAML nodes. An invalid member becomes a finding and is treated as absent. */

import { isMap, isScalar, isSeq, type Node, type Scalar } from 'yaml';
import { didYouMean } from '#base';
import { spotOf } from './document.ts';
import type { Findings } from './findings.ts';
import { type GrammarLevel, grammar, type MemberOf, schemaIdMax } from './grammar.ts';
import type { Spot, Spotted } from './source.ts';

/** One mapping of the file. */
export interface Members<L extends GrammarLevel> {
  readonly spot: Spot;
  get(member: MemberOf<L>): Member | undefined;
}

export interface Member {
  readonly name: string;
  readonly keySpot: Spot;
  /** Value of the key; `null` if the file has the key without a value. */
  readonly node: Node | null;
  readonly spot: Spot;
}

export class Reader {
  readonly findings: Findings;

  constructor(findings: Findings) {
    this.findings = findings;
  }

  /** Returns the members of `node` that the grammar defines for `level`, `undefined` if the node is not a mapping. `fallback` is the position of a finding if the node has none. */
  mapping<L extends GrammarLevel>(node: unknown, level: L, fallback: Spot): Members<L> | undefined {
    const spot = spotOf(node) ?? fallback;
    const what = titles[level] ?? level.replaceAll('_', ' ');
    if (!isMap(node)) {
      this.findings.shape(spot, `${articled(what)} must be a mapping, not ${kindOf(node)}`);
      return undefined;
    }
    const { properties, required } = grammar[level];
    const members = new Map<string, Member>();
    for (const { key, value } of node.items) {
      const member = this.member(key, value, what, Object.keys(properties), spot);
      if (member === undefined) continue;
      if (members.has(member.name)) {
        this.findings.shape(member.keySpot, `the member "${member.name}" occurs twice`);
      } else members.set(member.name, member);
    }
    for (const name of required) {
      if (members.has(name)) continue;
      this.findings.shape(
        spot,
        `${articled(what)} needs the member "${name}"`,
        hintWithout(level, name),
      );
    }
    return { spot, get: (name) => members.get(name) };
  }

  /** Returns the members of a mapping whose keys are names; `undefined` if it is not a mapping. */
  entries({ name, node, spot }: Member): readonly Member[] | undefined {
    if (!isMap(node)) {
      this.findings.shape(spot, `${name} must be a mapping, not ${shownNode(node)}`);
      return undefined;
    }
    const seen = new Map<string, Member>();
    for (const { key, value } of node.items) {
      const keySpot = spotOf(key) ?? spot;
      const text = this.textNode(key, `a name in ${name}`, keySpot);
      if (text === undefined) continue;
      const member = (value ?? null) as Node | null;
      const found = { name: text.value, keySpot, node: member, spot: spotOf(member) ?? keySpot };
      if (seen.has(text.value)) {
        this.findings.shape(
          keySpot,
          `the name ${JSON.stringify(text.value)} occurs twice in ${name}`,
        );
      } else seen.set(text.value, found);
    }
    return [...seen.values()];
  }

  private member(
    key: unknown,
    value: unknown,
    what: string,
    known: readonly string[],
    around: Spot,
  ): Member | undefined {
    const keySpot = spotOf(key) ?? around;
    const name = isScalar(key) ? String(key.value) : kindOf(key);
    if (!isScalar(key) || typeof key.value !== 'string' || !known.includes(name)) {
      const hint = didYouMean(name, known) ?? `${articled(what)} has ${known.join(', ')}`;
      this.findings.shape(keySpot, `unknown member "${name}" of ${articled(what)}`, hint);
      return undefined;
    }
    const node = (value ?? null) as Node | null;
    return { name, keySpot, node, spot: spotOf(node) ?? keySpot };
  }

  sequence(member: Member | undefined): readonly unknown[] {
    if (member === undefined) return [];
    if (isSeq(member.node)) return member.node.items;
    this.unfit(member, 'a list');
    return [];
  }

  isEmptyList({ node }: Member): boolean {
    return isSeq(node) && node.items.length === 0;
  }

  /** Returns a member that is a string, such as a name or a keyword. */
  text(member: Member | undefined): Spotted<string> | undefined {
    if (member === undefined) return undefined;
    return this.textNode(member.node, member.name, member.spot);
  }

  /** Returns a member that is one of `words`. */
  word<Word extends string>(
    member: Member | undefined,
    words: readonly Word[],
    hints: Readonly<Record<string, string>> = {},
  ): Word | undefined {
    if (member === undefined) return undefined;
    const { node } = member;
    const text = isScalar(node) && typeof node.value === 'string' ? node.value : undefined;
    const word = words.find((known) => known === text);
    if (word === undefined) {
      const choices = words.length === 1 ? `${words[0]}` : `one of ${words.join(', ')}`;
      const hint =
        text === undefined ? undefined : (ownText(hints, text) ?? didYouMean(text, words));
      this.unfit(member, choices, hint);
    }
    return word;
  }

  texts(member: Member | undefined): readonly Spotted<string>[] {
    return this.sequence(member).flatMap((item) => {
      const { name, spot } = member as Member;
      return this.textNode(item, `an item of ${name}`, spotOf(item) ?? spot) ?? [];
    });
  }

  private textNode(node: unknown, name: string, spot: Spot): Spotted<string> | undefined {
    if (isScalar(node) && typeof node.value === 'string') return { value: node.value, spot };
    const quoted = quotedForm(node);
    const hint = quoted && `put it in quotes: ${quoted}`;
    this.findings.shape(spot, `${name} must be text, not ${kindOf(node)}`, hint);
    return undefined;
  }

  flag(member: Member | undefined): boolean {
    if (member === undefined) return false;
    const { node } = member;
    if (isScalar(node) && typeof node.value === 'boolean') return node.value;
    this.unfit(member, 'true or false');
    return false;
  }

  schemaId(member: Member | undefined): Spotted<number> | undefined {
    if (member === undefined) return undefined;
    const { node, spot } = member;
    if (isScalar(node) && typeof node.value === 'bigint') {
      if (node.value >= 1n && node.value <= BigInt(schemaIdMax)) {
        return { value: Number(node.value), spot };
      }
    }
    this.unfit(member, `an integer from 1 to ${schemaIdMax}`);
    return undefined;
  }

  private unfit({ name, node, spot }: Member, wanted: string, hint?: string): void {
    this.findings.shape(spot, `${name} must be ${wanted}, not ${shownNode(node)}`, hint);
  }
}

const titles: Readonly<Partial<Record<GrammarLevel, string>>> = {
  policies: 'the section policies',
};

const missingHints: Readonly<Record<string, string>> = {
  'schema tables': 'an empty schema is `tables: []`',
  'table id': 'use a number that was never used before',
  'column id': 'use a number that was never used before',
  'policies tables': 'write `policies: none` to remove all policies',
};

function hintWithout(level: GrammarLevel, name: string): string | undefined {
  return missingHints[`${level} ${name}`];
}

/** Returns the kind of a node in words. */
export function kindOf(node: unknown): string {
  if (isMap(node)) return 'a mapping';
  if (isSeq(node)) return 'a list';
  if (!isScalar(node) || node.value === null) return 'nothing';
  switch (typeof node.value) {
    case 'bigint':
      return 'an integer';
    case 'number':
      return 'a float';
    case 'boolean':
      return 'a bool';
    default:
      return 'text';
  }
}

function shownNode(node: unknown): string {
  if (!isScalar(node) || node.value === null) return kindOf(node);
  const text = node.source ?? String(node.value);
  return text.length > 40 ? kindOf(node) : typeof node.value === 'string' ? `"${text}"` : text;
}

function ownText(texts: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}

/** Returns the quoted source of a scalar that YAML reads as a number, boolean or null, such as `"123"`. */
function quotedForm(node: unknown): string | undefined {
  const source = isScalar(node) ? (node as Scalar).source : undefined;
  return source === undefined || source === '' ? undefined : JSON.stringify(source);
}

function articled(what: string): string {
  if (what.startsWith('the ')) return what;
  return /^[aeio]/.test(what) ? `an ${what}` : `a ${what}`;
}
