/** Checks the names and the nodes of one condition: tables, columns, claims, labels of scopes, and that the `exists` uses each node once. */

import { didYouMean, unreachable } from '#base';
import {
  type PolicyConditionOf,
  type PolicyExpressionOf,
  type PolicyNodeOf,
  rowScope,
} from '#catalog';
import type { CheckedTable } from '../check-foreign-key.ts';
import type { Findings } from '../findings.ts';
import { type FileRule, spotOfPart } from './file-policies.ts';
import { nodePointer, operandsOf } from './walk-condition.ts';

/** The names that a condition can use. */
export interface ConditionNames {
  readonly tables: ReadonlyMap<string, CheckedTable>;
  readonly claims: ReadonlySet<string>;
  /** The table of the rule. */
  readonly own: string;
}

/** The tables of the visible labels. */
type Scopes = ReadonlyMap<string, string>;

export function checkCondition(
  condition: PolicyConditionOf<string>,
  places: Pick<FileRule, 'spot' | 'spots'>,
  names: ConditionNames,
  findings: Findings,
): void {
  const report = (pointer: string, message: string, hint?: () => string | undefined) =>
    findings.error(spotOfPart(places, pointer), message, hint);
  new ConditionCheck(condition, names, report).run();
}

type OnTrouble = (pointer: string, message: string, hint?: () => string | undefined) => void;

class ConditionCheck {
  private readonly condition: PolicyConditionOf<string>;
  private readonly names: ConditionNames;
  private readonly nodes: ReadonlyMap<string, PolicyNodeOf<string>>;
  private readonly report: OnTrouble;
  /** The nodes that were reached, with their scopes once they are known. */
  private readonly reached = new Map<string, Scopes | 'open'>();
  private hasExists = false;

  constructor(condition: PolicyConditionOf<string>, names: ConditionNames, report: OnTrouble) {
    this.condition = condition;
    this.names = names;
    this.nodes = new Map(Object.entries(condition.nodes ?? {}));
    this.report = report;
  }

  run(): void {
    this.checkLabels();
    this.expression(this.condition.where, '/where', this.visible(), true);
    for (const id of this.nodes.keys()) {
      if (this.reached.has(id)) continue;
      this.report(
        nodePointer(id),
        `the exists of the condition does not use the node ${shown(id)}`,
      );
    }
  }

  private checkLabels(): void {
    const seen = new Set([rowScope]);
    for (const [id, node] of this.nodes) {
      if (node.kind !== 'scan') continue;
      const pointer = `${nodePointer(id)}/scope`;
      if (node.scope === rowScope) {
        const text = 'the label "row" is reserved for the row itself';
        this.report(pointer, text, () => 'choose another label');
      } else if (seen.has(node.scope)) {
        this.report(pointer, `the label ${shown(node.scope)} is used twice`);
      }
      seen.add(node.scope);
    }
  }

  private visible(...below: readonly Scopes[]): Scopes {
    return new Map([[rowScope, this.names.own] as const, ...below.flatMap((it) => [...it])]);
  }

  /** Checks a node and those below it. Returns the labels of its scans. */
  private node(id: string, pointer: string): Scopes {
    const node = this.nodes.get(id);
    if (node === undefined) {
      this.report(pointer, `unknown node ${shown(id)}`, () => didYouMean(id, this.nodes.keys()));
      return new Map();
    }
    const earlier = this.reached.get(id);
    if (earlier !== undefined) {
      const text =
        earlier === 'open'
          ? `the node ${shown(id)} reads itself`
          : `the node ${shown(id)} is used twice`;
      this.report(pointer, text, () =>
        earlier === 'open' ? undefined : 'write a second node with another label',
      );
      return new Map();
    }
    this.reached.set(id, 'open');
    const scopes = this.scopesOf(node, nodePointer(id));
    this.reached.set(id, scopes);
    return scopes;
  }

  private scopesOf(node: PolicyNodeOf<string>, pointer: string): Scopes {
    switch (node.kind) {
      case 'scan': {
        const { tables } = this.names;
        const { table, scope } = node;
        if (!tables.has(table)) {
          const hint = () => didYouMean(table, tables.keys());
          this.report(`${pointer}/table`, `unknown table ${shown(table)}`, hint);
        }
        return new Map([[scope, table]]);
      }
      case 'filter': {
        const input = this.node(node.input, `${pointer}/input`);
        this.expression(node.predicate, `${pointer}/predicate`, this.visible(input), false);
        return input;
      }
      case 'join': {
        const left = this.node(node.left, `${pointer}/left`);
        const right = this.node(node.right, `${pointer}/right`);
        this.expression(node.on, `${pointer}/on`, this.visible(left, right), false);
        return new Map([...left, ...right]);
      }
      default:
        return unreachable(node);
    }
  }

  private expression(
    of: PolicyExpressionOf<string>,
    pointer: string,
    scopes: Scopes,
    mayCross: boolean,
  ): void {
    if (of.kind === 'col') this.column(of, pointer, scopes);
    else if (of.kind === 'claim') this.claim(of.name, pointer);
    else if (of.kind === 'exists') this.exists(of.node, pointer, mayCross);
    for (const [step, operand] of operandsOf(of)) {
      this.expression(operand, `${pointer}/${step}`, scopes, mayCross);
    }
  }

  private column(
    { scope, column }: { readonly scope: string; readonly column: string },
    pointer: string,
    scopes: Scopes,
  ): void {
    const name = scopes.get(scope);
    if (name === undefined) {
      const labels = [...scopes.keys()];
      const hint = () => didYouMean(scope, labels) ?? `the labels here are ${labels.join(', ')}`;
      this.report(`${pointer}/scope`, `unknown scope ${shown(scope)}`, hint);
      return;
    }
    const target = this.names.tables.get(name);
    if (target === undefined || !target.table.hasAllColumns || target.columns.has(column)) return;
    const text = `table ${shown(name)} has no column ${shown(column)}`;
    this.report(`${pointer}/column`, text, () => didYouMean(column, target.columns.keys()));
  }

  private claim(name: string, pointer: string): void {
    const { claims } = this.names;
    if (claims.has(name)) return;
    this.report(
      `${pointer}/name`,
      `unknown claim ${shown(name)}`,
      () => didYouMean(name, claims) ?? `declare it in policies.claims, such as \`${name}: text\``,
    );
  }

  private exists(node: string, pointer: string, mayCross: boolean): void {
    if (!mayCross) {
      this.report(pointer, 'exists is only possible in where, not in a node', () => 'use a join');
      return;
    }
    if (this.hasExists) {
      const hint = () => 'combine the tables by a join below one exists';
      this.report(pointer, 'a condition has at most one exists', hint);
      this.reached.set(node, 'open');
      return;
    }
    this.hasExists = true;
    this.node(node, `${pointer}/node`);
  }
}

function shown(name: string): string {
  return JSON.stringify(name);
}
