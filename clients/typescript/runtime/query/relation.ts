/** Queries as relations of LIR: text by the rules that make it the same in every language (docs/clients/wire-text.md). */

import { BuildError } from '../client/build-error.ts';
import type { Code } from '../table-info.ts';
import { type Out, type Rel, sameColumns, scoped, widened } from './columns.ts';
import { groupRel, joinRel, setRel, sidesOf } from './combine.ts';
import { expressionText } from './expression-text.ts';
import { jsonText } from './literals.ts';
import type { Nodes } from './nodes.ts';
import { type Asked, Ex, OrderTerm, type Step } from './parts.ts';
import { allRel, projectRel, renamedRel } from './project.ts';
import { isExplicit, ordered, Q, termsOf } from './query.ts';
import { tableRel } from './related.ts';
import { filterRel, orderRel, rowsRel, sliceRel, whereInRel } from './rows.ts';
import type { Call } from './table.ts';

const nodesMax = 10_000;

let documents = 0;

type OverOne = Extract<Step, { readonly input: Asked }> &
  Exclude<Step, { readonly kind: 'slice' | 'shared' | 'recursive' } | { readonly right: Asked }>;

/** What a step of a query is called in messages. */
interface NodeStep {
  readonly node: string;
  readonly step: string;
}

/** One relation under way. */
export class Doc implements Nodes {
  /** Steps by node, for messages about a place in the text. */
  readonly steps: NodeStep[] = [];
  private readonly plain: string[] = [];
  private readonly valued: string[] = [];
  private readonly bindings: string[] = [];
  private readonly known = new Map<Asked, string>();
  /** Names of the statements that queries refer to. */
  private readonly statements: ReadonlyMap<unknown, string>;
  private count = 0;
  private labels = 0;
  private bound = 0;
  hasValue = false;
  readonly id = ++documents;
  stray: unknown;

  /** Only the columns are asked for: what rows of statements are called does not matter. */
  private readonly isProbe: boolean;

  constructor(statements: ReadonlyMap<unknown, string> = new Map(), isProbe = false) {
    this.statements = statements;
    this.isProbe = isProbe;
  }

  /** For columns alone, beside this one. */
  private beside(): Doc {
    return new Doc(this.statements, this.isProbe);
  }

  /** The whole relation, with the node at its root. */
  text(node: string, cardinality: string): string {
    if (this.count > nodesMax) throw new BuildError(`a query of more than ${nodesMax} nodes`);
    if (this.stray !== undefined)
      throw new BuildError(`${this.stray}: a column of rows that are not at hand here`);
    const bindings = this.bindings.length > 0 ? `"bindings":{${this.bindings.join()}},` : '';
    const nodes = [...this.plain, ...this.valued].join();
    return `{"root":{"node":"${node}","cardinality":"${cardinality}"},${bindings}"nodes":{${nodes}}}`;
  }

  label(): string {
    return `s${this.labels++}`;
  }

  node(kind: string, write: () => string): string {
    const outside = this.hasValue;
    this.hasValue = kind === 'rows';
    const members = write();
    const id = `n${this.count++}`;
    (this.hasValue ? this.valued : this.plain).push(`"${id}":{"kind":"${kind}",${members}}`);
    this.steps.push({ node: id, step: kind });
    this.hasValue = outside;
    return id;
  }

  over(input: Rel, kind: string, write: () => string): Rel {
    return { ...input, node: this.node(kind, () => `"input":"${input.node}"${write()}`) };
  }

  private binding(statement: unknown): string {
    const found = this.statements.get(statement);
    if (found === undefined && !this.isProbe)
      throw new BuildError('rows of a statement belong to its program');
    return found ?? '';
  }

  shaped(q: Asked): Rel {
    return this.explicit(q.card === 'one' && q.isSingle ? q : ordered(q));
  }

  explicit(q: Asked): Rel {
    const input = this.rel(q);
    return isExplicit(q) ? input : allRel(this, input);
  }

  rel(q: Asked): Rel {
    const { step } = q;
    switch (step.kind) {
      case 'scan':
      case 'ref':
        return this.ofTable(step);
      case 'refQuery': {
        const binding = this.binding(step.statement);
        return this.reference('ref', binding, this.beside().shaped(step.of).out);
      }
      case 'rows':
        return rowsRel(this, step);
      case 'recursive':
        return this.recursive(step);
      case 'self':
        return this.self(q, step.anchor);
      case 'shared':
        return this.shared(step.input);
      case 'join': {
        const sides = [this.rel(step.input), this.rel(step.right)] as const;
        return joinRel(this, sides, sidesOf(step.input), step);
      }
      case 'union':
      case 'intersect':
      case 'except':
        return setRel(this, [this.explicit(step.input), this.explicit(step.right)], step);
      case 'slice':
        return sliceRel(this, this.rel(ordered(step.input)), step.limit, step.offset);
      default:
        return this.overOne(step, this.rel(step.input));
    }
  }

  private overOne(step: OverOne, input: Rel): Rel {
    switch (step.kind) {
      case 'same':
        return input;
      case 'all':
        return allRel(this, input);
      case 'where':
        return filterRel(this, input, () => step.predicate?.(...input.args));
      case 'whereIn':
        return whereInRel(this, input, step);
      case 'order':
        return orderRel(this, input, termsFor(input, step.terms));
      case 'select':
        return projectRel(this, input, step.fields(...input.args));
      case 'group':
        return groupRel(this, input, step.keys, step.folds);
      case 'distinct': {
        const rows = isExplicit(step.input) ? input : renamedRel(this, input);
        return this.over(rows, 'distinct', () => '');
      }
      case 'page': {
        const { kept, terms, fields } = step.plan(input.args, input.key ?? []);
        const rows = kept === undefined ? input : filterRel(this, input, () => kept);
        return projectRel(this, sliceRel(this, orderRel(this, rows, terms), step.limit), fields);
      }
    }
  }

  /** Rows of a table: those that it has, or those that a statement has written. */
  private ofTable(step: Extract<Step, { readonly kind: 'scan' | 'ref' }>): Rel {
    const { schema, table } = step;
    const scope = this.label();
    if (step.kind === 'scan') {
      const node = this.node('scan', () => `"table":${jsonText(table.name)},"scope":"${scope}"`);
      return tableRel(node, schema, table, scope, this.id);
    }
    const node = this.referring('ref', this.binding(step.statement), scope);
    return { ...tableRel(node, schema, table, scope, this.id), key: undefined };
  }

  private referring(kind: string, binding: string, scope: string): string {
    return this.node(kind, () => `"binding":${jsonText(binding)},"scope":"${scope}"`);
  }

  private reference(kind: string, binding: string, out: readonly Out[]): Rel {
    const scope = this.label();
    return scoped(this.referring(kind, binding, scope), scope, out, this.id);
  }

  private shared(input: Asked): Rel {
    let name = this.known.get(input);
    const inner = (name === undefined ? this : this.beside()).shaped(input);
    if (name === undefined) {
      name = `b${this.bound++}`;
      this.known.set(input, name);
      this.bindings.push(`"${name}":{"kind":"derived","node":"${inner.node}"}`);
    }
    return this.reference('ref', name, inner.out);
  }

  private recursive(step: Extract<Step, { readonly kind: 'recursive' }>): Rel {
    const name = `b${this.bound++}`;
    this.known.set(step.self, name);
    const anchor = this.explicit(step.input);
    const round = this.explicit(step.round);
    sameColumns(anchor, round, 'the step of a recursion');
    this.bindings.push(
      `"${name}":{"kind":"recursive","anchor":"${anchor.node}","step":"${round.node}","accumulation":"${step.accumulation}"}`,
    );
    return this.reference('ref', name, widened(anchor, round));
  }

  private self(q: Asked, anchor: Asked): Rel {
    const name = this.known.get(q);
    if (name === undefined && !this.isProbe)
      throw new BuildError('the rows of a recursion belong into its step');
    return this.reference('recursive_ref', name ?? '', this.beside().explicit(anchor).out);
  }

  ex(ex: unknown): string {
    return expressionText(this, ex);
  }
}

/** Without an order of the application: that of the key, else of all columns. */
function termsFor({ args, key, out }: Rel, by: Call | undefined): readonly OrderTerm[] {
  if (by !== undefined) return termsOf(by(...args));
  const keys = key ?? out.flatMap(({ ex, isScalar }) => (isScalar ? [ex] : []));
  return keys.map((ex) => new OrderTerm(ex, false));
}

/** The code of what `of` gives, known before the query stands in a document. */
function codeOf(q: Q, of: Call): Code {
  const found = of(...new Doc(undefined, true).rel(q).args);
  if (found instanceof Ex) return found.code;
  throw new BuildError('an expression is wanted');
}

Object.assign(Q.prototype, {
  value(this: Q, of: Call): Ex {
    const first = new Q({ kind: 'slice', input: this, offset: undefined, limit: 1 });
    const rows = (this.isSingle ? this : first).select((...row) => ({ v: of(...row) }));
    return new Ex({ kind: 'scalar', rows }, codeOf(this, of), true);
  },
});
