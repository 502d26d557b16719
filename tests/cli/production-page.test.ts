/** docs/production.md: the unit's command line starts a server, and every block after it prints what the page says. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServerProcess } from '../support/server-process.ts';
import { paste } from './paste.ts';
import { blocksOf } from './readme-blocks.ts';

const page = readFileSync(join(import.meta.dir, '..', '..', 'docs/production.md'), 'utf8');
const home = mkdtempSync(join(tmpdir(), 'svc-production-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test.skipIf(Bun.which('curl') === null || Bun.which('bash') === null)(
  'the way',
  async () => {
    const [, line = ''] = /^ExecStart=\/usr\/local\/bin\/svc serve (.*)$/m.exec(page) ?? [];
    const flags = line.replace('/var/lib/svc', home).split(' ');
    expect(flags.slice(-2)).toEqual(['--log-format', 'json']);
    // The helper reads the address from the line that the structured log has no place for.
    const server = await startServerProcess(flags.slice(0, -2));
    const [user, secrets, ...blocks] = blocksOf(
      page.replaceAll('127.0.0.1:7237', `127.0.0.1:${server.port}`),
    );
    expect(user?.script).toBe('useradd --system --home-dir /var/lib/svc --create-home svc\n');
    expect(secrets?.script).toStartWith('svc key generate > /etc/svc/admin.key\n');
    const done: string[] = [];
    try {
      for (const { script, text } of blocks) {
        const { output } = await paste(home, done, script);
        done.push(script);
        expect(output.replace('\n200\n', '\n')).toBe(text as string);
      }
    } finally {
      server.kill('SIGKILL');
      await server.exited;
    }
    expect(blocks).toHaveLength(2);
  },
  120_000,
);

test.skipIf(Bun.which('openssl') === null)(
  'a server for other machines has the key and the certificate of the page',
  async () => {
    const [, secrets] = blocksOf(page);
    const placed = (text: string) => text.replaceAll('/etc/svc', home);
    const made = `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout ${home}/tls.key -out ${home}/tls.crt 2> ${home}/openssl.log\n`;
    const script = placed(secrets?.script ?? '').replace(/^chown svc .*\n/m, '');
    await paste(home, [], made + script);
    const [line = ''] = /^--addr :7237 .*$/m.exec(page) ?? [];
    const flags = placed(line).split(' ').slice(2);
    const data = ['--storage-path', join(home, 'public'), '--catalog-mode', 'schema'];
    const server = await startServerProcess([...data, ...flags]);
    try {
      const ca = readFileSync(join(home, 'tls.crt'), 'utf8');
      const key = readFileSync(join(home, 'admin.key'), 'utf8').trim();
      const url = `https://127.0.0.1:${server.port}/auth/self`;
      const self = await fetch(url, { headers: { authorization: `Bearer ${key}` }, tls: { ca } });
      expect(await self.json()).toMatchObject({ kind: 'key', scopes: ['admin'] });
    } finally {
      server.kill('SIGKILL');
      await server.exited;
    }
  },
  120_000,
);
