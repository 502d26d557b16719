/**
 * Determines which expressions and relations can raise a run-time error. An expression that cannot raise may be evaluated for more rows, for fewer rows
 * or in another order without a visible effect. An expression that can raise stays at its position in the document.
 */

import { unreachable } from '#base';
import { inputsOf } from '#lir';
import { functions } from '#value';
import type { BoundBinding, BoundExpression, BoundRelation } from '../bind/bound.ts';
import { operandsOf } from '../bind/operands.ts';
import { expressionsOf } from './tree.ts';

export class CanFailAnalysis {
  private readonly expressions = new WeakMap<BoundExpression, boolean>();
  private readonly relations = new WeakMap<BoundRelation, boolean>();
  private readonly bindings = new Map<string, boolean>();

  /** `bindings` must be in dependency order. */
  constructor(bindings: readonly BoundBinding[]) {
    for (const binding of bindings) {
      const canRaise = binding.kind === 'recursive' || this.relationCanRaise(binding.relation);
      this.bindings.set(binding.name, canRaise);
    }
  }

  canRaise(expression: BoundExpression): boolean {
    if (expression.kind === 'literal' || expression.kind === 'column') return false;
    const known = this.expressions.get(expression);
    if (known !== undefined) return known;
    const found = this.raisesItself(expression) || operandsOf(expression).some(this.raises);
    this.expressions.set(expression, found);
    return found;
  }

  anyCanRaise(expressions: readonly BoundExpression[]): boolean {
    return expressions.some(this.raises);
  }

  relationCanRaise(relation: BoundRelation): boolean {
    const known = this.relations.get(relation);
    if (known !== undefined) return known;
    const found =
      this.operatorCanRaise(relation) ||
      inputsOf(relation).some((input) => this.relationCanRaise(input));
    this.relations.set(relation, found);
    return found;
  }

  /** Returns whether the operator itself can raise, regardless of its inputs. */
  operatorCanRaise(relation: BoundRelation): boolean {
    if (relation.kind === 'reference') {
      const { kind, name } = relation.source;
      return kind === 'binding' && this.bindings.get(name) === true;
    }
    if (relation.kind === 'aggregate') {
      if (relation.folds.some(({ fn }) => fn === 'sum' || fn === 'avg')) return true;
    }
    return this.anyCanRaise(expressionsOf(relation));
  }

  private readonly raises = (expression: BoundExpression) => this.canRaise(expression);

  private raisesItself(expression: BoundExpression): boolean {
    switch (expression.kind) {
      case 'arithmetic':
        return true;
      case 'unary':
        return expression.op === 'negate' && expression.type.kind === 'int64';
      case 'cast':
        return expression.to === 'int64' && expression.operand.type.kind === 'float64';
      case 'call':
        return functions[expression.fn].overloads[expression.overload]?.canFail !== false;
      case 'crossing':
        return expression.isChecked === true || this.relationCanRaise(expression.relation);
      case 'literal':
      case 'column':
      case 'compare':
      case 'logical':
      case 'branch':
      case 'coalesce':
      case 'text_match':
        return false;
      default:
        return unreachable(expression);
    }
  }
}
