/** Ctrl-C during `svc schema migrate`: from the first moment on the message says whether anything was sent, and the exit code is 130. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { dirname } from 'node:path';
import { emptyCatalog, schemaHash } from '#catalog';
import { program } from '../support/program.ts';
import { answering, projectAt, runWithin, shellFor, transitionIn } from './within.ts';

// Only ends what hangs.
setDefaultTimeout(60_000);

const file = `tables:
  - id: 1
    name: users
    columns:
      - { id: 1, name: id, type: int64, pk: true }
`;
const hash = schemaHash(emptyCatalog);
const never = () => new Promise<never>(() => {});
const transition = (id: string, rows: number) =>
  transitionIn('building', {
    transition_id: id,
    table: 'a_table_whose_name_is_long',
    object: `an_index_whose_name_is_long_${id}`,
    rows_scanned: rows,
  });

/** A database that is empty and takes the migration, but for what a test says. */
const routes = (more: Readonly<Record<string, unknown>>) => ({
  'GET /info': { database_id: 'd1', access: 'write', mode: 'schema' },
  'GET /schema': { schema_version: 0, schema_hash: hash, schema: { tables: [] } },
  'POST /schema/diff': {
    current_version: 0,
    current_hash: hash,
    changes: [{ kind: 'create_table', summary: 'create table users' }],
    destructive: [],
    blocking: [],
  },
  'POST /schema/migrate': { state: 'converging', transition_ids: ['tr1', 'tr2'], changes: [] },
  'POST /execute': { result: 1_000_000 },
  'GET /schema/transitions/tr1': transition('tr1', 5),
  'GET /schema/transitions/tr2': transition('tr2', 5),
  ...more,
});

const notSent = 'interrupted; nothing was sent, so nothing was changed';

describe('Ctrl-C', () => {
  /** What is said when it is pressed while this question has no answer yet. */
  async function pressedAt(question: string) {
    const pressed = new AbortController();
    const press = () => {
      pressed.abort();
      return never();
    };
    using server = answering(routes({ [question]: press }));
    const { shell } = shellFor({ interrupt: pressed.signal });
    const config = projectAt(server.url, file);
    const { trouble } = await runWithin(shell, ['schema', 'migrate', '--config', config]);
    return { config, exitCode: trouble?.exitCode, ...trouble };
  }

  test.each(['GET /info', 'GET /schema', 'POST /schema/diff'])(
    'at %s: nothing was sent',
    async (question) => {
      expect(await pressedAt(question)).toMatchObject({ exitCode: 130, message: notSent });
    },
  );

  test('while the migration has no answer: how to find out, as commands about the same project', async () => {
    const { config, exitCode, message, hint } = await pressedAt('POST /schema/migrate');
    expect(exitCode).toBe(130);
    expect(message).toBe('interrupted; the migration was sent, but its response was not received');
    expect(hint).toContain(
      `\`svc schema status --config ${config}\` shows whether it was committed`,
    );
    expect(hint).toContain(`\`svc schema migrate --config ${config}\``);
  });

  test('while online work is under way: it goes on', async () => {
    const { exitCode, message } = await pressedAt('GET /schema/transitions/tr1');
    expect(exitCode).toBe(130);
    expect(message).toBe(
      'interrupted; the migration is committed and continues on the server: tr1, tr2',
    );
  });

  test('what was compared is not sent any more', async () => {
    const pressed = new AbortController();
    using server = answering(
      routes({
        'POST /schema/diff': () => {
          pressed.abort();
          return routes({})['POST /schema/diff'];
        },
      }),
    );
    const { shell } = shellFor({ interrupt: pressed.signal });
    const config = projectAt(server.url, file);
    const { trouble } = await runWithin(shell, ['schema', 'migrate', '--config', config]);
    expect(trouble?.message).toBe(notSent);
    expect(server.requests.filter((it) => it.startsWith('POST /schema/migrate'))).toEqual([]);
  });
});

describe('a process', () => {
  test('that has only begun ends with 130 and says so', async () => {
    const asked = Promise.withResolvers<void>();
    using server = answering(
      routes({
        'GET /info': () => {
          asked.resolve();
          return never();
        },
      }),
    );
    const cwd = dirname(projectAt(server.url, file));
    const child = Bun.spawn([...program, 'schema', 'migrate'], { cwd, stderr: 'pipe' });
    await asked.promise;
    child.kill('SIGINT');
    const stderr = await new Response(child.stderr).text();
    expect([await child.exited, child.signalCode]).toEqual([130, null]);
    expect(stderr).toEndWith(`\nerror: ${notSent}\n`);
  });

  test('on a terminal of 80 columns leaves the message alone there, with the prompt below', async () => {
    using server = answering(routes({}));
    const cwd = dirname(projectAt(server.url, file));
    let output = '';
    const drawn = Promise.withResolvers<void>();
    const decoder = new TextDecoder();
    const child = Bun.spawn([...program, 'schema', 'migrate'], {
      cwd,
      env: { ...process.env, NO_COLOR: '1' },
      terminal: {
        cols: 80,
        rows: 24,
        data(_, bytes) {
          output += decoder.decode(bytes, { stream: true });
          // Cut off at the width: what it says of two is longer.
          if (output.includes('an_index_whose_name_is_long_tr1 on a_table')) drawn.resolve();
        },
      },
    });
    await drawn.promise;
    // As the terminal itself does it for the key.
    child.terminal?.write('\u0003');
    expect(await child.exited).toBe(130);
    const lines = output.split('\r\u001b[K');
    const widest = Math.max(...lines.slice(1, -1).map((line) => Bun.stringWidth(line)));
    // `^C` comes behind the line, and does not wrap.
    expect(widest).toBeLessThanOrEqual(80 - 1);
    expect(lines.some((line) => line.endsWith('^C'))).toBe(true);
    const last = (lines.at(-1) ?? '').replaceAll('\r\n', '\n');
    expect(last).toStartWith('error: interrupted; the migration is committed and continues');
    expect(last).toEndWith('discards its work\n');
  });
});
