/** What every command shares: output, exit codes, hints, and who is asked. */

import { describe, expect, spyOn, test } from 'bun:test';
import { ServerProblem, Unreachable } from '#client';
import { fail } from '#failure';
import { StorageError } from '#storage';
import { CommandFailure } from '../../src/cli/frame/command-failure.ts';
import { completeCommands } from '../../src/cli/frame/complete-commands.ts';
import { confirm } from '../../src/cli/frame/consent.ts';
import { commandExits } from '../../src/cli/frame/exit-codes.ts';
import { flagValues } from '../../src/cli/frame/flag-values.ts';
import { outputMode } from '../../src/cli/frame/output.ts';
import { reportedErrorOf } from '../../src/cli/frame/reported-error.ts';
import { processShell, type Shell } from '../../src/cli/frame/shell.ts';
import { storageHint } from '../../src/cli/frame/storage-hint.ts';
import { wrappedMessage } from '../../src/cli/frame/wrap-line.ts';
import { commandTree } from '../../src/cli/main.ts';
import { runWithin, shellFor } from './within.ts';

test.each([
  [[], 'text'],
  [['--json'], 'json'],
  [['--output', 'json'], 'json'],
  [['--output=json'], 'json'],
  [['--output', 'text'], 'text'],
  [['--output', 'json', '--output', 'text'], 'text'],
  [['json'], 'json'],
] as const)('%j is output as %s', (argv, mode) => {
  if (argv[0] === 'json') return expect(outputMode(['validate', 'json'])).toBe('text');
  expect(outputMode(argv)).toBe(mode);
});

test('flags are named as the configuration names them', () => {
  expect(flagValues({ storagePath: 'a', s3Bucket: 'b', maxBodyMib: 3 })).toEqual({
    'storage-path': 'a',
    's3-bucket': 'b',
    'max-body-mib': '3',
  });
});

describe('the exit code of', () => {
  const problem = (status: number) =>
    new ServerProblem(status, { status, title: 'No', code: 'c', reason: 'r', detail: 'why' });
  test.each([
    ['a conflict', problem(409), 6],
    ['a request without credentials', problem(401), 8],
    ['a request that is not allowed', problem(403), 8],
    ['another refusal', problem(422), 1],
    ['silence', new Unreachable('http://x:1', 'no server listens there'), 7],
    [
      'trouble with storage',
      new StorageError({ kind: 'full', operation: 'write', object: 'o' }),
      1,
    ],
    ['a failure of the database', fail('overloaded', 'full'), 1],
    ['a mistake', new Error('oh'), 1],
    ['no error', 'oh', 1],
    ['a command’s own failure', new CommandFailure({ code: 'c', message: 'm' }), 1],
    ['one with a code of its own', new CommandFailure({ code: 'c', message: 'm', exitCode: 5 }), 5],
  ])('%s', (_, error, exitCode) => {
    expect(reportedErrorOf(error)?.exitCode).toBe(exitCode);
  });
});

describe('an error says', () => {
  test('what the server said, with its code, reason and status', () => {
    const document = { status: 422, title: 'T', code: 'invalid', reason: 'type', detail: 'why' };
    expect(reportedErrorOf(new ServerProblem(422, document))).toMatchObject({
      code: 'invalid',
      message: 'why',
      members: { reason: 'type', message: 'why', http_status: 422, problem: document },
    });
  });

  test('all findings of a refusal that has several, each once, and what to do where that is known', () => {
    const document = { status: 422, title: 'T', code: 'c', reason: 'r', detail: 'a (and 1 more)' };
    const errors = [{ detail: 'a' }, { detail: 'b' }];
    expect(reportedErrorOf(new ServerProblem(422, { ...document, errors }))?.message).toBe(
      'a (and 1 more)\n- b',
    );
    const absent = { ...document, reason: 'schema_transition_not_found' };
    expect(reportedErrorOf(new ServerProblem(404, absent))?.hint).toContain('transitions list');
  });

  test('every way to name a server where none answers', () => {
    const hint = reportedErrorOf(new Unreachable('http://x:1', 'no server listens there'))?.hint;
    for (const way of ['--database-url', '--env', 'SVC_DATABASE_URL', '`database_url`']) {
      expect(hint).toContain(way);
    }
  });

  test('no check for a running server where one has presented a wrong certificate', () => {
    const found = new Unreachable('https://x:1', 'the certificate has expired', {
      remedy: 'renew it',
    });
    const { message, hint } = reportedErrorOf(found) ?? {};
    expect(message).toBe(
      'no svc server answers at https://x:1: the certificate has expired; renew it',
    );
    expect(hint).toStartWith('the address comes from --database-url');
  });

  test('the choices in the same words, whoever refuses the value', async () => {
    const choices = async (...argv: string[]) =>
      (await runWithin(shellFor().shell, argv)).trouble?.message;
    expect(await choices('schema', 'diff', '--format', 'xml')).toContain(
      'Expected one of text, json.',
    );
    expect(await choices('schema', 'transitions', 'list', '--kind', 'xml')).toContain(
      'Expected one of index_build,',
    );
  });

  test('the kind of trouble with storage, and what to do', () => {
    const error = new StorageError({ kind: 'locked', path: 'svc', holder: undefined });
    expect(reportedErrorOf(error)).toMatchObject({
      code: 'storage_locked',
      hint: expect.stringContaining('only one server can use a directory'),
    });
  });

  test('the reason of a failure of the database', () => {
    expect(reportedErrorOf(fail('overloaded', 'too much'))?.code).toBe('overloaded');
  });

  test('its cause, unless it has told it already', () => {
    const cause = new Error('no such file');
    expect(reportedErrorOf(new Error('cannot read', { cause }))?.message).toBe(
      'cannot read: no such file',
    );
    expect(reportedErrorOf(new Error('no: no such file', { cause }))?.message).toBe(
      'no: no such file',
    );
    expect(reportedErrorOf('text')?.message).toBe('text');
  });

  test('hint and details of the command, where there are any', () => {
    const facts = { code: 'c', message: 'm', hint: 'h', details: { a: 1 } };
    expect(reportedErrorOf(new CommandFailure(facts))).toMatchObject({
      hint: 'h',
      members: { details: { hint: 'h', a: 1 } },
    });
    expect(reportedErrorOf(new CommandFailure({ code: 'c', message: 'm' }))).toEqual({
      code: 'c',
      message: 'm',
      exitCode: 1,
    });
  });
});

test('each trouble with storage has a hint of its own kind', () => {
  const kinds = [
    'linked',
    'locked',
    'fenced',
    'format',
    'full',
    'io',
    'unavailable',
    'unauthorized',
  ];
  const hints = [...kinds, 'bucket_missing', 'empty', 'expired', 'unfit', 'corrupt'].map((kind) =>
    storageHint({ kind } as Parameters<typeof storageHint>[0]),
  );
  expect(new Set(hints).size).toBe(hints.length);
  expect(hints.every((hint) => hint.length > 10)).toBe(true);
});

test.each([
  ['y', true],
  [' Yes ', true],
  ['n', false],
  ['', false],
  ['yesterday', false],
  ['oh yes', false],
])('"%s" is consent: %p', async (answer, isConsent) => {
  const { shell, asked } = shellFor({ answers: [answer] });
  expect(await confirm(shell, 'Continue?')).toBe(isConsent);
  expect(asked).toEqual(['Continue? [y/N] ']);
});

test('help and version are no trouble', async () => {
  const { shell } = shellFor();
  for (const argv of [['--version'], ['schema', '--help']]) {
    const write = process.stdout.write;
    process.stdout.write = () => true;
    const { trouble } = await runWithin(shell, argv).finally(() => (process.stdout.write = write));
    expect(trouble).toBeUndefined();
  }
});

test('exit codes of the help are as wide as the rest of it', () => {
  const widths = commandTree(shellFor().shell, () => {})
    .commands.flatMap((command) => [command, ...command.commands])
    .flatMap((command) => {
      let help = '';
      const writeOut = (text: string) => {
        help += text;
      };
      command.configureOutput({ writeOut }).outputHelp();
      return help.includes('Exit codes:') ? help.split('Exit codes:').slice(-1) : [];
    })
    .flatMap((text) => `Exit codes:${text}`.split('\n'))
    .map((line) => line.length);
  expect(widths.length).toBeGreaterThan(10);
  expect(Math.max(...widths)).toBeLessThanOrEqual(80);
});

describe('the last line of a terminal', () => {
  function written(write: (shell: Shell) => void): string {
    let text = '';
    const spy = spyOn(process.stderr, 'write').mockImplementation((part) => {
      text += String(part);
      return true;
    });
    try {
      write(processShell([]));
    } finally {
      spy.mockRestore();
    }
    return text;
  }

  test('is never wider than the terminal with the ^C that may come behind it', () => {
    const line = written((shell) => shell.redraw('x'.repeat(1000)));
    expect(line).toBe(`\r\u001b[K${'x'.repeat((process.stderr.columns || 80) - 3)}`);
  });

  test('is cleared for what is said', () => {
    const text = written((shell) => {
      shell.redraw('50 %');
      shell.say('gone');
      shell.say('back');
    });
    expect(text).toBe('\r\u001b[K50 %\r\u001b[Kgone\nback\n');
  });
});

test('a flag is suggested only where it is near the one that was given', async () => {
  const messageOf = async (flag: string) =>
    (await runWithin(shellFor().shell, ['serve', flag])).trouble?.message;
  expect(await messageOf('--nope')).toBe("unknown option '--nope'");
  expect(await messageOf('--rolle')).toBe("unknown option '--rolle'. Did you mean --role?");
});

test('what a command may end with is told, also without a flag for it', () => {
  expect(commandExits['svc schema diff']).toContain('1 no migration to this schema is possible');
});

describe('commands in hints', () => {
  const program = commandTree(shellFor().shell, () => {});
  test.each([
    [['schema', 'transitions', 'get', 'x'], '`svc schema transitions list` shows', ''],
    [['x', '--env', 'staging'], '`svc schema transitions list` shows', ' --env staging'],
    [['x', '--database-url=svc://h:1'], '`svc schema status` says', ' --database-url svc://h:1'],
    [['x', '-f', 'a b.yaml'], '`svc schema diff` shows', " --file 'a b.yaml'"],
    [['x', '--env', 'staging'], '`svc schema diff --help` says', ''],
  ])('%j: %s', (given, hint, added) => {
    expect(completeCommands(hint, program, given)).toBe(hint.replace('` s', `${added}\` s`));
  });
  test('have only flags that they take, and none twice', () => {
    const given = ['schema', 'diff', '--env', 'a', '--file', 'b'];
    const hint = '`svc serve`, `svc validate b`, `svc schema pull --env c`, `svc docs projects`';
    expect(completeCommands(hint, program, given)).toBe(
      '`svc serve`, `svc validate b`, `svc schema pull --env c --file b`, `svc docs projects`',
    );
  });
});

test('a message is broken at words, but not a command or a line of a file', () => {
  const text = [
    'nothing was changed: `svc schema status --env staging` says more',
    '- table users will be called people: programs fail',
    '6 |       - { id: 2, name: handel, type: txt, unqiue: true }',
    '  |                                      ^^^',
  ].join('\n');
  expect(wrappedMessage(text, 30)).toBe(
    [
      'nothing was changed:',
      '`svc schema status --env staging`',
      'says more',
      '- table users will be called',
      '  people: programs fail',
      '6 |       - { id: 2, name: handel, type: txt, unqiue: true }',
      '  |                                      ^^^',
    ].join('\n'),
  );
});
