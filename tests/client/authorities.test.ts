/** Commands trust the authorities of --ca-file, and none besides. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { Connection, Unreachable } from '#client';
import { makeCertificates } from '../support/certificates.ts';
import { outcomeOf } from '../support/outcome.ts';

const home = mkdtempSync(join(tmpdir(), 'svc-authorities-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test.skipIf(Bun.which('openssl') === null)(
  'a server of another authority is not trusted',
  async () => {
    const own = makeCertificates(home, 'own');
    const other = makeCertificates(home, 'other');
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      tls: { cert: readFileSync(own.cert), key: readFileSync(own.key) },
      fetch: () => Response.json({ a: 1 }),
    });
    const { scheduler } = systemWorld();
    const origin = `https://127.0.0.1:${server.port}`;
    const connected = (caFile?: string) => new Connection({ origin, scheduler, caFile });
    expect(await connected(own.ca).send('GET', '/x')).toEqual({ a: 1 });
    for (const caFile of [undefined, other.ca]) {
      const error = await connected(caFile)
        .send('GET', '/x')
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Unreachable);
      expect(String(error)).toContain('--ca-file');
    }
    const missing = connected(join(home, 'missing')).send('GET', '/x');
    expect(await outcomeOf(missing)).toThrow(`the CA file ${join(home, 'missing')} does not exist`);
  },
);
