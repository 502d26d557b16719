/** The programs of statements, and the errors of statements that are refused, as recorded in `goldens/`. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openSql, type SqlSession } from '../support/run-sql.ts';
import { goldenStatements } from './golden-statements.ts';
import { goldenText } from './golden-text.ts';
import { createItems } from './items.ts';

let session: SqlSession;

beforeAll(async () => {
  session = await openSql();
  await createItems(session);
});

afterAll(() => session.engine.close());

test.each(Object.entries(goldenStatements))('%s', async (subject, statements) => {
  const path = `${import.meta.dir}/goldens/${subject.replaceAll(' ', '-')}.golden`;
  expect(goldenText(session, statements)).toBe(await Bun.file(path).text());
});

test('a feature that svc does not have is refused with a hint', async () => {
  for (const subject of Object.keys(goldenStatements)) {
    const path = `${import.meta.dir}/goldens/${subject.replaceAll(' ', '-')}.golden`;
    const refusals = (await Bun.file(path).text()).matchAll(/^ {2}0A000.*\n(.*)/gm);
    for (const [refusal, hint] of refusals)
      expect([refusal, hint]).toEqual([refusal, expect.stringMatching(/^ {4}\S/)]);
  }
});
