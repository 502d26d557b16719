/** Refusals of a server become exit codes, with the whole problem in JSON. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from './run.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-exit-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Answers everything with one status and body. */
async function against(status: number, body: string) {
  const seen: (string | null)[] = [];
  using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      seen.push(request.headers.get('authorization'));
      return new Response(body, { status });
    },
  });
  writeFileSync(join(root, 'svc.config.yaml'), `database_url: svc://127.0.0.1:${server.port}\n`);
  writeFileSync(join(root, 'token'), 'secret\n');
  const argv = ['schema', 'transitions', 'get', 'tr1', '--json', '--access-token-file', 'token'];
  return { ...(await runCommand(argv, {}, root)), seen };
}

const problem = (status: number, code: string, reason: string) =>
  JSON.stringify({
    type: `urn:svc:problem:${code}`,
    title: 'T',
    status,
    code,
    reason,
    detail: 'D',
  });

const cases: readonly (readonly [number, string, string, number])[] = [
  [409, 'conflict', 'serializable_conflict', 6],
  [401, 'unauthenticated', 'missing_token', 8],
  [403, 'forbidden', 'insufficient_scope', 8],
  [422, 'invalid', 'invalid', 1],
  [503, 'internal', 'storage_unavailable', 1],
];
for (const [status, code, reason, exitCode] of cases) {
  test(`${status} is exit code ${exitCode}`, async () => {
    const outcome = await against(status, problem(status, code, reason));
    expect([outcome.exitCode, outcome.stdout]).toEqual([exitCode, '']);
    expect(outcome.seen).toEqual(['Bearer secret']);
    expect(JSON.parse(outcome.stderr)).toEqual({
      ok: false,
      error: {
        code,
        reason,
        message: 'D',
        http_status: status,
        problem: JSON.parse(problem(status, code, reason)),
        ...(status === 409 && {
          details: { hint: expect.stringContaining('another change was committed first') },
        }),
        ...(status === 401 && { details: { hint: expect.stringContaining('SVC_ACCESS_TOKEN') } }),
        ...(status === 403 && { details: { hint: expect.stringContaining('svc key create') } }),
        ...(status === 503 && { details: { hint: expect.stringContaining('try again') } }),
      },
    });
  });
}

test('what is not svc is no answer', async () => {
  const { exitCode, stderr } = await against(502, '<html>Bad Gateway</html>');
  expect(exitCode).toBe(7);
  expect(JSON.parse(stderr).error.message).toContain(
    'the server there is not svc (its response has status 502)',
  );
});

test('a token file that cannot be read is named', async () => {
  const argv = ['schema', 'transitions', 'get', 'tr1'];
  const env = { SVC_ACCESS_TOKEN_FILE: '/nowhere/token' };
  const { exitCode, stderr } = await runCommand(argv, env, root);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('the access token file /nowhere/token does not exist');
});
