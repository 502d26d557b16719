/** `install.sh`, against a file server of the test: a release with small executables. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { writeArchives } from '../../deploy/release/archive.ts';
import { sumsOf } from '../../deploy/release/checksums.ts';

const script = join(import.meta.dir, '../../install.sh');
const home = mkdtempSync(join(tmpdir(), 'svc-install-'));
const release = join(home, 'release');
const names = ['linux-x64', 'linux-x64-musl', 'linux-arm64', 'darwin-arm64'];
/** Archives whose executables do not start. */
const broken = ['linux-arm64-musl', 'darwin-broken'];

let server: Bun.Server<undefined>;
beforeAll(() => {
  mkdirSync(release);
  const archives = [...names, ...broken].flatMap((target) => {
    const name = `svc-1.2.3-${target}`;
    mkdirSync(join(home, 'staged', name), { recursive: true });
    const executable = join(home, 'staged', name, 'svc');
    const text = broken.includes(target) ? 'exit 127' : `echo 1.2.3 for ${target}`;
    writeFileSync(executable, `#!/bin/sh\n${text}\n`);
    chmodSync(executable, 0o755);
    const parent = join(home, 'staged');
    return writeArchives({ parent, name, out: release, epoch: 0, level: 1 });
  });
  writeFileSync(join(release, 'SHA256SUMS'), sumsOf(release, archives));
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) => {
      const path = new URL(url).pathname;
      const file = Bun.file(join(release, path.replace('/broken', '')));
      if (path.startsWith('/broken/') && path.includes('.tar.'))
        return new Response('not the archive');
      return existsSync(file.name ?? '') ? new Response(file) : new Response('', { status: 404 });
    },
  });
});
afterAll(async () => {
  await server.stop(true);
  rmSync(home, { recursive: true });
});

let count = 0;

/** Runs the script with a home of its own. `tools` are programs that take the place of those of the system. */
async function install({
  env = {},
  tools = {},
  base = '/',
}: {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly tools?: Readonly<Record<string, string>>;
  readonly base?: string;
} = {}) {
  const own = join(home, `user-${count++}`);
  mkdirSync(join(own, 'tools'), { recursive: true });
  for (const [name, text] of Object.entries({ id: 'echo 1000', ...tools })) {
    writeFileSync(join(own, 'tools', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  const path = [join(own, 'tools'), process.env['PATH']].join(delimiter);
  const child = Bun.spawn(['sh', script], {
    env: {
      HOME: own,
      PATH: path,
      TMPDIR: home,
      SVC_RELEASES: server.url.href.replace(/\/$/, base),
      ...env,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return {
    own,
    stdout,
    stderr,
    exitCode,
    left: readdirSync(home).filter((it) => it.startsWith('tmp.')),
  };
}

const uname = (system: string, machine: string) => ({
  uname: `case $1 in -s) echo ${system} ;; -m) echo ${machine} ;; esac`,
});

describe.skipIf(Bun.which('zstd') === null || process.platform !== 'linux')('install.sh', () => {
  test('installs to ~/.local/bin, and prints what to run next', async () => {
    const { own, stdout, stderr, exitCode, left } = await install();
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    const installed = join(own, '.local/bin/svc');
    const here = process.arch === 'x64' ? 'linux-x64' : 'linux-arm64';
    expect(stdout).toContain(`installed svc 1.2.3 for ${here} as ${installed}\n`);
    expect(stdout).toContain(`${own}/.local/bin is not in PATH; add it: export PATH=`);
    expect(stdout).toContain(`Next:\n  ${installed} init my-app `);
    expect(Bun.spawnSync([installed]).stdout.toString()).toBe(`1.2.3 for ${here}\n`);
    expect(readdirSync(join(own, '.local/bin'))).toEqual(['svc']);
    expect(left).toEqual([]);
  });

  test('replaces an executable that is there, in the directory that is named', async () => {
    const directory = join(home, 'named');
    mkdirSync(directory);
    writeFileSync(join(directory, 'svc'), 'old');
    const env = { SVC_INSTALL_DIR: directory, PATH: `${process.env['PATH']}:${directory}` };
    const { stdout, exitCode } = await install({ env });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('\n  svc init my-app ')]);
    expect(Bun.spawnSync([join(directory, 'svc')]).stdout.toString()).toStartWith('1.2.3');
  });

  test.each([
    ['Linux', 'aarch64', 'linux-arm64'],
    ['Linux', 'amd64', 'linux-x64'],
    ['Darwin', 'arm64', 'darwin-arm64'],
  ])('%s on %s is %s', async (system, machine, target) => {
    const { stdout } = await install({ tools: uname(system, machine) });
    expect(stdout).toContain(`downloading svc-1.2.3-${target}.tar.zst\n`);
  });

  test('a process under Rosetta gets the executable of the real processor', async () => {
    const tools = { ...uname('Darwin', 'x86_64'), sysctl: 'echo 1' };
    expect((await install({ tools })).stdout).toContain('svc-1.2.3-darwin-arm64.tar.zst\n');
  });

  test('a named platform is installed', async () => {
    const { stdout } = await install({ env: { SVC_TARGET: 'linux-x64-musl' } });
    expect(stdout).toContain('installed svc 1.2.3 for linux-x64-musl as ');
  });

  test('without zstd the other archive is taken', async () => {
    const folder = join(home, 'few-tools');
    mkdirSync(folder);
    const few = 'sh curl sha256sum tar gzip grep head cut mktemp mkdir cp mv chmod rm uname id cat';
    for (const name of few.split(' ')) {
      const found = Bun.which(name);
      if (found !== null)
        writeFileSync(join(folder, name), `#!/bin/sh\nexec ${found} "$@"\n`, { mode: 0o755 });
    }
    const { stdout, stderr } = await install({
      env: { PATH: folder, SVC_INSTALL_DIR: join(folder, 'bin') },
    });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^downloading svc-1\.2\.3-\S+\.tar\.gz\ninstalled svc 1\.2\.3/);
  });

  test.each<[string, Parameters<typeof install>[0], RegExp]>([
    [
      'a broken checksum',
      { base: '/broken/' },
      /tar\.zst: expected checksum [0-9a-f]{64}, got [0-9a-f]{64}/,
    ],
    ['an unknown system', { tools: uname('SunOS', 'x86_64') }, /platform: SunOS has no release/],
    [
      'an unknown processor',
      { tools: uname('Linux', 'riscv64') },
      /platform: riscv64 has no release/,
    ],
    [
      'a platform that was not built',
      { tools: uname('Darwin', 'x86_64') },
      /darwin-x64: the release has no archive/,
    ],
    [
      'no address',
      { env: { SVC_RELEASES: '' } },
      /SVC_RELEASES: not set; set it to the URL of a release/,
    ],
    [
      'a wrong address',
      { base: '/elsewhere/' },
      /SHA256SUMS: cannot be downloaded; check SVC_RELEASES/,
    ],
    [
      'an executable that does not start here',
      { env: { SVC_TARGET: 'darwin-broken' } },
      /darwin-broken: the executable does not start on this machine; set SVC_TARGET/,
    ],
    [
      'an executable for musl that does not start here',
      { env: { SVC_TARGET: 'linux-arm64-musl' } },
      /the executable does not start on this machine; install libstdc\+\+/,
    ],
    [
      'no permission to write',
      { env: { SVC_INSTALL_DIR: '/proc/svc-bin' } },
      /\/proc\/svc-bin: no permission to write; set SVC_INSTALL_DIR/,
    ],
  ])('%s changes nothing', async (_, options, message) => {
    const { own, stderr, exitCode, left } = await install(options);
    expect(stderr).toMatch(message);
    expect(stderr).toEndWith('; nothing was changed\n');
    expect(exitCode).toBe(1);
    expect(existsSync(join(own, '.local'))).toBe(false);
    expect(left).toEqual([]);
  });
});

test.skipIf(Bun.which('shellcheck') === null)('shellcheck has no complaint', () => {
  const checked = Bun.spawnSync(['shellcheck', script]);
  expect(checked.stdout.toString()).toBe('');
});
