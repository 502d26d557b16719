/** Mutants of open transactions: their replays after lost races, and results that are passed on. */

import type { Mutant } from './mutants.ts';

const replay = ['tests/engine/session/replay.test.ts'];
const streamed = ['tests/engine/session/streamed-results.test.ts'];

export const sessionMutants: readonly Mutant[] = [
  {
    name: 'a replay commits although an answer differs',
    file: 'src/engine/session/replay.ts',
    from: 'if (answer.end(outcome) !== digest) return false;',
    to: 'answer.end(outcome);',
    tests: replay,
  },
  {
    name: 'a digest ignores the rows that a sink has taken',
    file: 'src/engine/session/answer-digest.ts',
    from: 'digest.rows(rows);',
    to: '',
    tests: replay,
  },
  {
    name: 'a digest ignores the numbers of affected rows',
    file: 'src/engine/session/answer-digest.ts',
    from: 'statements.map(({ affected }) => affected).join()',
    to: 'statements.length',
    tests: replay,
  },
  {
    name: 'a transaction with an undo is replayed',
    file: 'src/engine/session/open-transaction.ts',
    from: 'are now undone.\n    this.replayLog.drop();',
    to: 'are now undone.',
    tests: replay,
  },
  {
    name: 'a transaction that has changed the catalog is replayed',
    file: 'src/engine/session/replay-log.ts',
    from: '!isWithin || statement.plan.catalogAfter !== statement.plan.catalog',
    to: '!isWithin',
    tests: replay,
  },
  {
    name: 'a replay generates other ids',
    file: 'src/engine/session/block-world.ts',
    from: 'random: seededRandom(seed),',
    to: 'random: world.random,',
    tests: replay,
  },
  {
    name: 'the last replay does not commit exclusively',
    file: 'src/engine/session/replay.ts',
    from: 'isLast ? exclusive.run(requestContext, attempt) : attempt()',
    to: 'isLast && !exclusive ? exclusive : attempt()',
    tests: replay,
  },
  {
    name: 'rows leave before the state that they show is durable',
    file: 'src/engine/streamed-result.ts',
    from: 'this.isShown ? undefined : this.store.durable(this.sequence)',
    to: 'undefined as Promise<void> | undefined',
    tests: streamed,
  },
  {
    name: 'a query waits for its client with a slot',
    file: 'src/engine/admission/request-context.ts',
    from: '    this.leave();\n    await this.budget.until(wait);',
    to: '    await this.budget.until(wait);',
    tests: streamed,
  },
  {
    name: 'a full sink receives more rows',
    file: 'src/executor/drain-query.ts',
    from: 'if (taken instanceof Promise) yield taken;',
    to: '',
    tests: streamed,
  },
];
