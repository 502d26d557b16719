/** The metric of the audit log. */

import { expect, test } from 'bun:test';
import type { Instrument } from '#observe';
import { auditInstruments } from '../../../src/server/metrics/audit-instruments.ts';

type Counted = Extract<Instrument, { readonly kind: 'counter' | 'sum' | 'gauge' }>;

test('counts the lines of the audit log that could not be written', () => {
  const audit = { droppedEver: 3 };
  const [dropped] = auditInstruments(() => audit as never) as [Counted];
  expect([dropped.name, dropped.kind]).toEqual(['svc.audit.dropped', 'counter']);
  expect(dropped.read()).toEqual([{ attributes: {}, value: 3 }]);
  const [none] = auditInstruments(() => undefined) as [Counted];
  expect(none.read()).toEqual([]);
});
