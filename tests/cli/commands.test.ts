/** Help, version, and what is said about a command line that is wrong. */

import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { linkedPages, pages } from '../../src/cli/docs/pages.ts';
import { program } from '../support/program.ts';
import { runCommand } from './run.ts';

describe('version', () => {
  for (const argv of [['version'], ['--version'], ['-V']]) {
    test(argv.join(' '), async () => {
      expect(await runCommand(argv)).toEqual({
        exitCode: 0,
        stdout: `${manifest.version}\n`,
        stderr: '',
      });
    });
  }

  test.each([[['version', '--json']], [['--version', '--json']], [['--output=json', '-V']]])(
    'as JSON: %p',
    async (argv) => {
      const { exitCode, stdout } = await runCommand(argv);
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout)).toEqual({ version: manifest.version });
    },
  );
});

describe('help', () => {
  test.each([[[]], [['statistics']]])('is no part of an error in JSON: %p', async (argv) => {
    const { exitCode, stdout, stderr } = await runCommand([...argv, '--json']);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr)).toMatchObject({ ok: false, error: { code: 'usage' } });
  });

  test('names the commands', async () => {
    const { exitCode, stdout, stderr } = await runCommand(['--help']);
    expect([exitCode, stderr]).toEqual([0, '']);
    for (const command of ['serve', 'version']) expect(stdout).toContain(`\n  ${command} `);
  });

  test('of serve names every flag, what it takes, and the variables', async () => {
    const { exitCode, stdout } = await runCommand(['serve', '--help']);
    expect(exitCode).toBe(0);
    for (const word of [
      '--addr <host:port>',
      '127.0.0.1:7237',
      '--storage-path',
      'SVC_ADDR',
      'SVC_SHUTDOWN_DRAIN_MS',
    ]) {
      expect(stdout).toContain(word);
    }
  });

  test('without a command it is shown as an error', async () => {
    const { exitCode, stdout, stderr } = await runCommand([]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Usage: svc');
  });
});

describe('wrong usage is exit code 2 and says what is right', () => {
  const cases: readonly (readonly [string, ...string[]])[] = [
    ['srve', "unknown command 'srve' of svc. Did you mean serve?"],
    ['serve --adr :1', "unknown option '--adr'. Did you mean --addr?"],
    ['serve --addr', "option '--addr <host:port>' argument missing"],
    ['serve --addr nowhere', '--addr is "nowhere"', 'host:port'],
    ['serve --storage disk', '--storage is "disk"', 'one of file, memory'],
    ['serve --catalog-mode none', '--catalog-mode is "none"', 'one of direct, schema'],
    ['serve --max-body-mib=many', '--max-body-mib is "many"', 'an integer from 1 to 1024'],
    ['serve here', 'too many arguments'],
    ['version --output yaml', '--output is "yaml"', 'text, json'],
  ];
  for (const [line, ...parts] of cases) {
    test(line, async () => {
      const { exitCode, stdout, stderr } = await runCommand(line.split(' '));
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr.startsWith('error: ')).toBe(true);
      for (const part of parts) expect(stderr).toContain(part);
    });
  }

  test('a variable that there is not is named, and nothing else happens', async () => {
    const env = { SVC_DATABSE_URL: 'svc://x', SVC_PORT: 'tcp://1.2.3.4', SVC_SERVICE_HOST: 'x' };
    expect(await runCommand(['version'], env)).toEqual({
      exitCode: 0,
      stdout: `${manifest.version}\n`,
      stderr: 'warning: there is no variable SVC_DATABSE_URL; did you mean "SVC_DATABASE_URL"?\n',
    });
  });

  test('a variable is named as such', async () => {
    const { exitCode, stderr } = await runCommand(['serve'], { SVC_LOG_LEVEL: 'loud' });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('SVC_LOG_LEVEL is "loud": expected one of error, warn, info, debug');
  });

  test('as JSON', async () => {
    const { exitCode, stdout, stderr } = await runCommand(['serve', '--json', '--addr', 'x']);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr)).toMatchObject({ ok: false, error: { code: 'usage' } });
  });
});

describe('the documentation', () => {
  const directory = join(import.meta.dir, '..', '..', 'docs');

  test('has every page, and its own text', async () => {
    const { stdout } = await runCommand(['docs', '--json']);
    const { topics } = JSON.parse(stdout) as { topics: { topic: string }[] };
    const files = readdirSync(directory).filter((name) => name.endsWith('.md'));
    const pages = files.map((name) => name.slice(0, -'.md'.length));
    expect(topics.map(({ topic }) => topic).sort()).toEqual(
      pages.filter((name) => name !== 'README').sort(),
    );
    expect((await runCommand(['docs', 'projects'])).stdout).toBe(
      readFileSync(join(directory, 'projects.md'), 'utf8'),
    );
  });

  test('the index and the README are there, too', async () => {
    const index = await runCommand(['docs', 'index']);
    expect(index.stdout).toBe(readFileSync(join(directory, 'README.md'), 'utf8'));
    const readme = await runCommand(['docs', 'README']);
    expect(readme.stdout).toBe(readFileSync(join(directory, '..', 'README.md'), 'utf8'));
  });

  test('has what its pages refer to, by the path in the link', async () => {
    const links = readdirSync(directory)
      .filter((name) => name.endsWith('.md') && name !== 'README.md')
      .flatMap((name) => [
        ...readFileSync(join(directory, name), 'utf8').matchAll(/\]\(((?!https?:|#)[^)]+)\)/g),
      ])
      .map(([, link = '']) => link.replace(/#.*$/, ''));
    const topics = [...pages, ...linkedPages].map(({ topic }) => topic);
    const lost = links.filter(
      (link) => !topics.includes(link.replace(/^\.\.\//, '').replace(/\.md$/, '')),
    );
    expect(lost.filter((link) => !link.startsWith('../src/'))).toEqual([]);
    const { stdout } = await runCommand(['docs', 'decisions/0006']);
    const [decision = ''] = readdirSync(join(directory, 'decisions')).filter((name) =>
      name.startsWith('0006'),
    );
    expect(stdout).toBe(readFileSync(join(directory, 'decisions', decision), 'utf8'));
    const schema = await runCommand(['docs', '../schemas/lir.schema.json']);
    expect(JSON.parse(schema.stdout)).toMatchObject({ $id: 'urn:svc:schema:lir' });
  });

  test('has every decision', () => {
    expect(
      linkedPages.map(({ topic }) => topic).filter((topic) => topic.startsWith('decisions/')),
    ).toEqual(
      readdirSync(join(directory, 'decisions'))
        .sort()
        .map((name) => `decisions/${name.replace(/\.md$/, '')}`),
    );
  });

  test.skipIf(!existsSync('/dev/full'))('an output that is full is named in one line', async () => {
    const command = [...program, 'docs', 'lir'].map((word) => `'${word}'`).join(' ');
    const shell = Bun.spawn(['sh', '-c', `${command} > /dev/full`], { stderr: 'pipe' });
    expect(await new Response(shell.stderr).text()).toBe(
      'error: the output cannot be written: the device is full\n',
    );
    expect(await shell.exited).toBe(1);
  });

  test('a topic that there is not', async () => {
    const { exitCode, stderr } = await runCommand(['docs', 'schemas']);
    expect([exitCode, stderr]).toMatchObject([
      2,
      expect.stringContaining('did you mean "schema"?'),
    ]);
    const word = await runCommand(['docs', 'polling']);
    expect(word.stderr).toContain('did you mean "decisions/0001-polling-operators"?');
  });

  test.each(['26', '0026'])('a decision by its number: %s', async (number) => {
    const { stdout } = await runCommand(['docs', number]);
    expect(stdout).toStartWith('# 0026 ');
  });
});
