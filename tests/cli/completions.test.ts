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
    expect(await complete('svc', 's')).toEqual(['serve', 'schema', 'seed', 'statistics']);
    expect(await complete('svc', 'schema', 'transitions', '')).toEqual(
      expect.arrayContaining(['list', 'get', 'wait', 'cancel']),
    );
  });
  test('flags of the command, also behind other flags', async () => {
    expect(await complete('svc', 'schema', 'migrate', '--acc')).toEqual([
      '--access-token-file',
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

  const written = script('zsh');

  /** The line as it stands after the tabulator was pressed behind it, in a terminal, in a directory with `svc schema.yaml` and `anna/`. */
  async function completed(line: string): Promise<string> {
    const there = newDirectory();
    writeFileSync(join(there, '_svc'), await written);
    writeFileSync(join(there, 'svc schema.yaml'), '');
    mkdirSync(join(there, 'anna'));
    // The line is printed instead of accepted.
    const inside = `
      PS1= PS2= RPS1=; autoload -Uz compinit; compinit -u -D; source ./_svc
      show() { zle -I; print -r -- "<<$BUFFER>>"; BUFFER= }; zle -N show; bindkey '^X' show
      print READY-TO-GO`;
    writeFileSync(join(there, 'inside'), inside);
    const text = `
      cd '${there}'; zmodload zsh/zpty; zpty z zsh -f -i
      zpty -w z 'source ./inside'; zpty -r z ready '*READY-TO-GO*'
      zpty -w -n z '${line}'$'\\t\\x18'; zpty -r z answer '*<<*>>*'
      print -r -- "$answer"; zpty -d z`;
    return /<<(.*)>>/.exec(await inShell('zsh', text))?.[1] ?? '';
  }

  test.each([
    ['svc schema di', 'svc schema diff '],
    ['svc --json schema di', 'svc --json schema diff '],
    ['svc schema --output json di', 'svc schema --output json diff '],
    ['svc schema migrate --accept-ch', 'svc schema migrate --accept-changes '],
    ['svc schema transitions list --kind ind', 'svc schema transitions list --kind index_build '],
    ['svc schema diff -f sv', 'svc schema diff -f svc\\ schema.yaml '],
    ['svc schema diff --file sv', 'svc schema diff --file svc\\ schema.yaml '],
    ['svc validate sv', 'svc validate svc\\ schema.yaml '],
    ['svc init an', 'svc init anna/'],
    ['svc serve --storage-path an', 'svc serve --storage-path anna/'],
  ])('%s', async (line, whole) => {
    expect(await completed(line)).toBe(whole);
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

  test('files, where a file or a directory is meant', async () => {
    const there = newDirectory();
    writeFileSync(join(there, 'svc.schema.yaml'), '');
    mkdirSync(join(there, 'anna'));
    const fish = await script('fish');
    const complete = (line: string) =>
      inShell('fish', `cd '${there}'\n${fish}\ncomplete -C '${line}'`);
    expect(await complete('svc schema diff -f sv')).toBe('svc.schema.yaml\n');
    expect(await complete('svc schema diff --file sv')).toBe('svc.schema.yaml\n');
    expect(await complete('svc validate sv')).toBe('svc.schema.yaml\n');
    expect(await complete('svc init an')).toBe('anna/\n');
    expect(await complete('svc serve --addr an')).toBe('');
  });
});

test('the script stands in a document where one is asked for', async () => {
  const { stdout } = await runCommand(['completions', 'bash', '--json']);
  expect(JSON.parse(stdout)).toEqual({ shell: 'bash', script: await script('bash') });
});

test('an unknown shell', async () => {
  const { exitCode, stderr } = await runCommand(['completions', 'csh']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('bash, zsh, fish');
});
