/** The example of docs/postgres.md. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { WireClient } from '../sql/support/wire-client.ts';
import { serveSvc } from './support/serve.ts';

test('the server of the page answers its query', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../docs/postgres.md')).text();
  // `serveSvc` adds its own addresses.
  expect(page).toContain('```sh\nsvc serve --frontend postgres\n```');
  const [, query = '', column, value] =
    /-c "([^"]+)"\n +(\w+)\n-+\n +(\w+)\n\(1 row\)/.exec(page) ?? [];
  await using server = await serveSvc();
  const client = await WireClient.connect({ port: server.port });
  const [result] = await client.query(query);
  client.close();
  expect(result?.columns.map(({ name }) => name)).toEqual([column as string]);
  expect(result?.rows).toEqual([[value as string]]);
});
