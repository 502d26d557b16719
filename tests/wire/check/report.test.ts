/** A report keeps a bounded number of findings, of either kind. */

import { expect, test } from 'bun:test';
import { Report } from '../../../src/wire/check/report.ts';

const findingsMax = 512;

test('keeps 512 findings of the structure and 512 of payloads, the first ones', () => {
  const report = new Report();
  for (let i = 0; i < findingsMax + 10; i++) {
    report.path[0] = i;
    expect([report.isFull, report.isPayloadFull]).toEqual([i >= findingsMax, i >= findingsMax]);
    report.found(1, 'of the structure');
    report.foundPayload(1, 'of a payload');
  }
  expect(report.count).toBe(2 * findingsMax);
  for (const findings of [report.grammar, report.payload]) {
    expect(findings).toHaveLength(findingsMax);
    expect(findings.at(-1)?.pointer).toBe(`/${findingsMax - 1}`);
  }
});

test('a finding stands at the steps that lead to it, and not at those that led to others', () => {
  const report = new Report();
  report.path.push('statements', 3, 'relation', 'of another');
  report.found(3, 'wrong');
  expect(report.grammar).toEqual([
    { pointer: '/statements/3/relation', detail: 'wrong', head: ['statements', 3] },
  ]);
});
