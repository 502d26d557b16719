/** Each cache between a request and its rows separates the visibility classes of principals: the list of all of them. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';

const source = join(import.meta.dir, '../../src');
const modules = ['http/program/**/*.ts', 'engine/**/*.ts', 'statistics/feedback/**/*.ts'];

/** Why a map that outlives a request cannot return what another class must not see. */
const reasons: Readonly<Record<string, string>> = {
  'http/program/templates.ts classes': 'by the class',
  'http/program/relations/relation-cache.ts classes': 'by the class',
  'engine/prepared/plan-cache.ts plans': 'by the class',
  'http/program/relations/coalesced-results.ts fillings': 'the class is part of the key (keyOf)',
  'http/program/response-text.ts known': 'by the prepared program, which belongs to one class',
  'engine/entity-tag.ts known': 'by the plan, the class is part of the digest',
  'engine/ground.ts known': 'answers whether a table exists still, to the feedback only',
  'engine/observer.ts watched': 'by the plan, which belongs to one class',
  'engine/observer.ts relations': 'names of parts within one family, which contains the class',
  'engine/write-gates.ts gatedTables':
    'by the catalog; failures are shown without invisible tables',
  'engine/admission/fair-queue.ts queues': 'by principal',
  'engine/admission/slots.ts held': 'by principal',
  'engine/admission/usage.ts uses': 'by principal',
  'engine/session/basis.ts deletes': 'of one transaction, which has one principal',
  'engine/session/open-transactions.ts open': 'by transaction',
  'engine/admission/principal-programs.ts open': 'by principal',
  'engine/keys/key-uses.ts noted': 'by key',
  'statistics/feedback/learning.ts seen': 'within one family, which contains the class',
  'statistics/feedback/registry.ts models': 'by the family, which contains the class',
  'statistics/feedback/feedback.ts corrections': 'by the family, which contains the class',
  'statistics/feedback/plan-runs.ts runs': 'within one family, which contains the class',
  'statistics/feedback/exchange.ts families': 'by the family, which contains the class',
  'statistics/feedback/exchange.ts appearances': 'by the family, which contains the class',
};

test('every map that outlives a request is in the list, and the list has no other', () => {
  const found = new Set<string>();
  for (const path of modules.flatMap((pattern) => [...new Glob(pattern).scanSync(source)])) {
    const text = readFileSync(join(source, path), 'utf8');
    // A field of a class, or a constant of the module that is filled later.
    for (const [, field, constant] of text.matchAll(
      /^ {2}(?:private |readonly )*(\w+)(?:: [^=\n]+)? = new (?:Weak)?Map\b|^const (\w+)(?:: [^=\n]+)? = new (?:Weak)?Map<[^\n]*>\(\);/gm,
    )) {
      found.add(`${path} ${field ?? constant}`);
    }
  }
  expect([...found].filter((name) => !(name in reasons)).sort()).toEqual([]);
  expect(Object.keys(reasons).filter((name) => !found.has(name))).toEqual([]);
});
