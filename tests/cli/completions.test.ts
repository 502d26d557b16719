/** Completion scripts, run in the shells that are here. */

import { describe, expect, test } from 'bun:test';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runCommand } from './run.ts';
import { newDirectory, projectAt } from './within.ts';

async function script(shell: string): Promise<string> {
  return (await runCommand(['completions', shell])).stdout;
}

async function inShell(shell: string, text: string): Promise<string> {
  const child = Bun.spawn([shell, '-c', text], { stdout: 'pipe', stderr: 'pipe' });
  expect(await new Response(child.stderr).text()).toBe('');
  return new Response(child.stdout).text();
}

describe.skipIf(Bun.which('bash') === null)('bash', async () => {
  const bash = await script('bash');
  const complete = async (...words: string[]): Promise<string[]> => {
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const output = await inShell(
      'bash',
      `${bash}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`,
    );
    return output.trim().split('\n');
  };

  test('commands', async () => {
    expect(await complete('svc', 's')).toEqual(['serve', 'schema']);
    expect(await complete('svc', 'schema', 'transitions', '')).toEqual(
      expect.arrayContaining(['list', 'get', 'wait', 'cancel']),
    );
  });
  test('flags of the command, also behind other flags', async () => {
    expect(await complete('svc', 'schema', 'migrate', '--acc')).toEqual([
      '--accept-data-loss',
      '--accept-changes',
    ]);
    expect(await complete('svc', 'schema', '--json', 'diff', '--exit')).toEqual(['--exit-code']);
  });
  test('values', async () => {
    expect(await complete('svc', 'completions', 'z')).toEqual(['zsh']);
    expect(await complete('svc', 'version', '--output', 'j')).toEqual(['json']);
    expect(await complete('svc', 'serve', '--log-format', '')).toEqual(['text', 'json', 'logfmt']);
    expect(await complete('svc', 'serve', '--storage', 'm')).toEqual(['memory']);
    expect(await complete('svc', 'serve', '--store-scan-cache-blocks', 't')).toEqual(['true']);
    expect(await complete('svc', 'docs', 'prod')).toEqual(['production']);
    const list = ['svc', 'schema', 'transitions', 'list'];
    expect(await complete(...list, '--kind', 'ind')).toEqual(['index_build']);
    expect(await complete(...list, '--state', 'catch')).toEqual(['catching_up']);
  });
  test('files, where a file or a directory is meant', async () => {
    const there = newDirectory();
    writeFileSync(join(there, 'svc schema.yaml'), '');
    mkdirSync(join(there, 'anna'));
    const here = process.cwd();
    const at = async (...words: string[]) => {
      process.chdir(there);
      return complete(...words).finally(() => process.chdir(here));
    };
    expect(await at('svc', 'validate', 'svc')).toEqual(['svc schema.yaml']);
    expect(await at('svc', 'schema', 'diff', '-f', 'sv')).toEqual(['svc schema.yaml']);
    expect(await at('svc', 'init', 'an')).toEqual(['anna']);
    expect(await at('svc', 'validate', '--fi')).toEqual(['--file']);
  });
  test('help of every command', async () => {
    expect(await complete('svc', '--h')).toEqual(['--help']);
    expect(await complete('svc', 'schema', 'migrate', '--he')).toEqual(['--help']);
  });
  test('the environments of the project', async () => {
    const config = projectAt('svc://127.0.0.1:1');
    appendFileSync(config, 'environments:\n  staging: { database_url: "svc://s.example" }\n');
    const asked = ['completions', 'bash', '--environments'];
    expect((await runCommand(asked, {}, dirname(config))).stdout).toBe('staging\n');
    expect((await runCommand(asked, {}, newDirectory())).stdout).toBe('\n');
    expect(bash).toContain('--env) COMPREPLY=($(compgen -W "$(svc completions bash --environments');
  });
});

describe.skipIf(Bun.which('zsh') === null)('zsh', () => {
  test('the script can be read', async () => {
    expect(await inShell('zsh', `compdef() {}\n${await script('zsh')}`)).toBe('');
  });
});

describe.skipIf(Bun.which('fish') === null)('fish', () => {
  test('commands, flags and values', async () => {
    const fish = await script('fish');
    const complete = (line: string) => inShell('fish', `${fish}\ncomplete -C '${line}'`);
    expect(await complete('svc sch')).toStartWith('schema\t');
    expect(await complete('svc schema d')).toStartWith('diff\t');
    expect(await complete('svc schema migrate --accept')).toMatch(
      /^--accept-changes\t.*\n--accept-data-loss\t/,
    );
    expect(await complete('svc completions z')).toStartWith('zsh');
  });
});

test('an unknown shell', async () => {
  const { exitCode, stderr } = await runCommand(['completions', 'csh']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('bash, zsh, fish');
});
