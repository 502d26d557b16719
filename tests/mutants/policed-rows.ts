/** Wrong rules of row policies in the planner, the executor and the caches. */

import type { Mutant } from './mutants.ts';

const notes = ['tests/policies/notes.test.ts'];
const many = ['tests/policies/many-rows.test.ts'];
const shared = ['tests/policies/shared-results.test.ts'];
const generated = ['tests/policies/generated.test.ts'];

export const policedRowsMutants: readonly Mutant[] = [
  {
    name: 'no policy in crossings and on the right side of joins',
    file: 'src/planner/bind/leaf.ts',
    from: '  return isPoliced(context)\n',
    to: '  return isPoliced(context) && at.place.enclosing === undefined\n',
    tests: generated,
  },
  {
    name: 'no policy on the new row of an update',
    file: 'src/planner/bind/changed-rows.ts',
    from: "const after = kind === 'delete' ? [] : [kind];",
    to: "const after = kind === 'create' ? [kind] : [];",
    tests: notes,
  },
  {
    name: 'an update needs no permission to read the row',
    file: 'src/planner/bind/changed-rows.ts',
    from: "(['read', kind] as const)",
    to: '([kind] as const)',
    tests: notes,
  },
  {
    name: 'an action without a rule is permitted',
    file: 'src/planner/bind/policy.ts',
    from: "if (condition === 'all') return input;",
    to: "if (typeof condition === 'string') return input;",
    tests: notes,
  },
  {
    name: 'a failing predicate moves below the policy',
    file: 'src/planner/rewrite/conjuncts.ts',
    from: 'const firstFailing = conjuncts.findIndex((conjunct) => failures.canRaise(conjunct));',
    to: 'const firstFailing = conjuncts.length < 0 ? Number(failures.canRaise(predicate)) : -1;',
    tests: notes,
  },
  {
    name: 'a plan keeps the claims of the user for whom it was made',
    file: 'src/executor/execute.ts',
    from: 'given.claims.length === 0 ? given : withClaims(given, claims)',
    to: 'given.claims.length >= 0 ? given : withClaims(given, claims)',
    tests: notes,
  },
  {
    name: 'the created row of a statement of one row is not tested',
    file: 'src/executor/point/create.ts',
    from: 'policy: plan.policies?.after',
    to: 'policy: undefined',
    tests: notes,
  },
  {
    name: 'the updated row of a statement of one row is not tested',
    file: 'src/executor/point/update.ts',
    from: 'policy: plan.policies?.after',
    to: 'policy: undefined',
    tests: notes,
  },
  {
    name: 'the stored row of a statement of one row is not tested',
    file: 'src/executor/point/target.ts',
    from: 'if (policy?.(found.row, parameters) === false)',
    to: 'if (policy?.(found.row, parameters) === undefined && policy !== undefined)',
    tests: notes,
  },
  {
    name: 'the condition of a row that is read by its key is not tested',
    file: 'src/executor/point/read.ts',
    from: 'if (!test(row, plan.parameters)) return none;',
    to: 'if (!test(row, plan.parameters) && row.length === 0) return none;',
    tests: notes,
  },
  {
    name: 'keys are looked up before the policy is tested',
    file: 'src/executor/mutate/row-change.ts',
    from: '  yield* checkNewRows(mutationContext, change, rows);\n  const added = { run: yield* putNewRows(mutationContext, change.table, rows), rows };\n',
    to: '  yield* checkRows(mutationContext, change, rows);\n  const added = { run: yield* putNewRows(mutationContext, change.table, rows), rows };\n  yield* checkNewRows(mutationContext, change, rows);\n',
    tests: many,
  },
  {
    name: 'a policy reads the rows of its own statement',
    file: 'src/executor/mutate/targets.ts',
    from: 'if (isOneChunk || (before === undefined && after === undefined)) return policies;',
    to: 'if (isOneChunk || before === undefined || after === undefined || size.rows > 0)\n    return policies;',
    tests: many,
  },
  {
    name: 'a kept result is shared by users with other claims',
    file: 'src/http/program/relations/cached-request.ts',
    from: 'plan.claims.map(',
    to: 'plan.claims.slice(plan.claims.length).map(',
    tests: shared,
  },
  {
    name: 'the tag of a query changes with hidden rows',
    file: 'src/engine/conditional.ts',
    from: '  if (plan.isPoliced) return answerPoliced(database, asked);\n',
    to: '  if (plan.isPoliced && text === undefined) return answerPoliced(database, asked);\n',
    tests: shared,
  },
];
