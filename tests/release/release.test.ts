/** What a release contains (deploy/release): the parts, assembled around a small executable. `npm run release -- --check` builds the whole. */

import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '#base';
import { differingNames, sumsOf } from '../../deploy/release/checksums.ts';
import { packagedUnit } from '../../deploy/release/debian.ts';
import { imageCommands } from '../../deploy/release/image.ts';
import { assemble, emptyFolder } from '../../deploy/release/main.ts';
import { bundledPackages, noticesOf } from '../../deploy/release/notices.ts';
import { runTool } from '../../deploy/release/run-tool.ts';
import { billOfMaterials, reducedBill } from '../../deploy/release/sbom.ts';
import { documentsOf } from '../../deploy/release/stage.ts';
import { type Target, targets } from '../../deploy/release/targets.ts';

const home = mkdtempSync(join(tmpdir(), 'svc-release-test-'));
afterAll(() => rmSync(home, { recursive: true }));

const epoch = 1_767_312_000;
const root = join(import.meta.dir, '../..');
const { dependencies, devDependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as Readonly<Record<'dependencies' | 'devDependencies', Record<string, string>>>;
const documents = documentsOf({ version, date: '2026-01-02', notices: 'NOTICES of a test\n' });

/** A folder with an executable and a folder for the output. */
function folders(name: string) {
  const folder = join(home, name);
  const out = join(folder, 'out');
  mkdirSync(out, { recursive: true });
  const executable = join(folder, 'svc');
  writeFileSync(executable, `#!/bin/sh\necho ${version}\n`);
  return { executable, out };
}

function assembled(name: string, target: Target): { names: readonly string[]; out: string } {
  const { executable, out } = folders(name);
  return { names: assemble({ target, executable, documents, out, epoch, level: 1 }), out };
}

test('a release empties its own folder, and no other one that has files', () => {
  const folder = join(home, 'somebody');
  mkdirSync(folder);
  emptyFolder(folder);
  writeFileSync(join(folder, 'thesis.txt'), 'years of work');
  expect(() => emptyFolder(folder)).toThrow('expected a new, empty or release folder');
  expect(readdirSync(folder)).toEqual(['thesis.txt']);
  writeFileSync(join(folder, 'SHA256SUMS'), '');
  emptyFolder(folder);
  expect(readdirSync(folder)).toEqual([]);
  emptyFolder(join(home, 'new'));
  expect(readdirSync(join(home, 'new'))).toEqual([]);
});

const [x64] = targets as [Target];
const hasTools = ['tar', 'zstd', 'dpkg-deb'].every((name) => Bun.which(name) !== null);
if (!hasTools) console.warn('SKIPPED: archives and packages take tar, zstd and dpkg-deb');

describe.skipIf(!hasTools)('files of a target', () => {
  const one = assembled('one', x64);
  const archive = `svc-${version}-linux-x64`;

  test('are two archives, and a package for targets of Debian', () => {
    expect(one.names).toEqual([
      `${archive}.tar.zst`,
      `${archive}.tar.gz`,
      `svc_${version}_amd64.deb`,
    ]);
    const musl = targets.find(({ name }) => name === 'linux-x64-musl') as Target;
    const names = assembled('musl', musl).names;
    expect(names.filter((name) => name.endsWith('.deb'))).toEqual([]);
  });

  test('an archive contains the executable, notices, unit, manual pages and completions', () => {
    runTool(['tar', '-xzf', join(one.out, `${archive}.tar.gz`), '-C', one.out]);
    const folder = join(one.out, archive);
    expect(runTool([join(folder, 'svc')])).toBe(`${version}\n`);
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(paths).toEqual(
      expect.arrayContaining([
        'README',
        'NOTICES',
        'svc.service',
        'share/man/man1/svc.1',
        'share/man/man1/svc-schema-migrate.1',
        'share/bash-completion/completions/svc',
        'share/zsh/site-functions/_svc',
        'share/fish/vendor_completions.d/svc.fish',
      ]),
    );
    expect(readFileSync(join(folder, 'README'), 'utf8').trim().split('\n')).toHaveLength(10);
    const listed = runTool(['tar', '-tvzf', join(one.out, `${archive}.tar.gz`)]);
    expect(listed).toContain(`-rwxr-xr-x 0/0`);
    expect(listed).not.toMatch(/^.(?!.{9} 0\/0 .*2026-01-02 00:00 )/m);
    const unpacked = runTool([
      'sh',
      '-c',
      `zstd -dc ${join(one.out, archive)}.tar.zst | tar -tf -`,
    ]);
    expect(unpacked.split('\n').sort()).toEqual(
      runTool(['tar', '-tf', join(one.out, `${archive}.tar.gz`)])
        .split('\n')
        .sort(),
    );
  });

  test('a package creates the user and the data directory, and its unit fits them', () => {
    const deb = join(one.out, `svc_${version}_amd64.deb`);
    const control = runTool(['dpkg-deb', '-f', deb]);
    expect(control).toContain(`Version: ${version}\n`);
    expect(control).toContain('Architecture: amd64\n');
    const listed = runTool(['dpkg-deb', '-c', deb]);
    expect(listed).toMatch(/^-rwxr-xr-x root\/root .* \.\/usr\/bin\/svc$/m);
    expect(listed).toContain('./usr/share/man/man1/svc-serve.1');
    expect(listed).toContain('./usr/share/doc/svc/copyright');
    runTool(['dpkg-deb', '-R', deb, join(one.out, 'tree')]);
    const unit = readFileSync(join(one.out, 'tree/lib/systemd/system/svc.service'), 'utf8');
    expect(unit).toContain('\nExecStart=/usr/bin/svc serve\n');
    expect(unit).toContain('\nUser=svc\nGroup=svc\n');
    expect(unit).not.toContain('DynamicUser');
    const postinst = readFileSync(join(one.out, 'tree/DEBIAN/postinst'), 'utf8');
    expect(postinst).toContain('adduser --system --group');
    expect(postinst).toContain('install -d -o svc -g svc -m 0700 /var/lib/svc\n');
  });

  test('have the same bytes when they are assembled in another folder', () => {
    const other = assembled('other', x64);
    expect(sumsOf(other.out, other.names)).toBe(sumsOf(one.out, one.names));
  });
});

test('the unit of the package differs in nothing else', () => {
  const unit = readFileSync(join(root, 'deploy/svc.service'), 'utf8');
  const lines = (text: string) => new Set(text.split('\n'));
  const changed = [...lines(unit).symmetricDifference(lines(packagedUnit(unit)))];
  expect(changed.filter((line) => !line.startsWith('#')).sort()).toEqual([
    'DynamicUser=yes',
    'ExecStart=/usr/bin/svc serve',
    'ExecStart=/usr/local/bin/svc serve',
    'Group=svc',
  ]);
});

test('the notices have the licence of each package, and of the runtime', () => {
  const graph = {
    inputs: {
      'src/main.ts': {},
      'node_modules/elysia/dist/index.mjs': {},
      '../elsewhere/node_modules/@opentelemetry/api/build/a.js': {},
      'node_modules/a/node_modules/ms/index.js': {},
    },
  };
  expect(bundledPackages(graph)).toEqual(['@opentelemetry/api', 'elysia', 'ms']);
  const notices = noticesOf(Object.keys(dependencies));
  for (const [name, version] of Object.entries(dependencies)) {
    expect(notices).toContain(`\n${name} ${version}\n`);
  }
  expect(notices).toContain('Bun statically links JavaScriptCore');
});

test('the bill of materials has the bundled packages and the runtime', () => {
  const packages = Object.keys(dependencies);
  const { components, bomFormat } = JSON.parse(billOfMaterials(packages, '2026-01-02T00:00:00Z'));
  expect(bomFormat).toBe('CycloneDX');
  const found = components.map(({ purl }: { purl: string }) => purl).sort();
  const expected = Object.entries({ ...dependencies, bun: devDependencies['bun'] });
  expect(found).toEqual(
    expected.map(([name, it]) => `pkg:npm/${name.replace('@', '%40')}@${it}`).sort(),
  );
});

test('equal content of the bill has an equal serial number', () => {
  const all = (component: string) => ({
    serialNumber: crypto.randomUUID(),
    metadata: {
      component: { 'bom-ref': component, name: `folder-${Math.random()}` },
      timestamp: String(Math.random()),
    },
    components: ['bun', 'tsc'].map((it) => ({ 'bom-ref': `${it}@1`, name: it, properties: [] })),
    dependencies: [{ ref: component, dependsOn: ['bun@1', 'tsc@1'] }],
  });
  const bill = (component: string) =>
    reducedBill(all(component), new Set(['bun']), '2026-01-02T00:00:00Z');
  expect(bill('svc@1')).toBe(bill('svc@1'));
  const [a, b] = [JSON.parse(bill('svc@1')), JSON.parse(bill('svc@2'))];
  expect(a.dependencies).toEqual([{ ref: 'svc@1', dependsOn: ['bun@1'] }]);
  expect(a.components).toEqual([{ 'bom-ref': 'bun@1', name: 'bun' }]);
  expect(a.serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(a.serialNumber).not.toBe(b.serialNumber);
  expect(() => reducedBill(all('svc@1'), new Set(['none']), '')).toThrow(
    'npm sbom: no component none',
  );
});

test('checksums are those of sha256sum, and differing files are named', () => {
  writeFileSync(join(home, 'b'), 'b');
  writeFileSync(join(home, 'a'), 'a');
  const sums = sumsOf(home, ['b', 'a']);
  const checked = Bun.spawnSync(['sha256sum', '--check', '--quiet'], {
    cwd: home,
    stdin: Buffer.from(sums),
  });
  expect(checked.exitCode).toBe(0);
  writeFileSync(join(home, 'b'), 'c');
  expect(differingNames(sums, sumsOf(home, ['a', 'b']))).toEqual(['b']);
  expect(differingNames(sums, sums)).toEqual([]);
});

test('an image is built from the executable of its platform', () => {
  const commands = imageCommands('buildah', {
    version: '1.2.3',
    name: 'linux-arm64',
    platform: 'linux/arm64',
    executable: join(root, 'dist/release/linux-arm64/svc'),
    out: '/out',
    epoch,
  });
  expect(commands.map((words) => words.join(' '))).toEqual([
    `buildah build --format=oci --platform=linux/arm64 --timestamp=${epoch} --build-arg=EXECUTABLE=dist/release/linux-arm64/svc --file=deploy/Containerfile --tag=localhost/svc:1.2.3-linux-arm64 .`,
    'buildah push localhost/svc:1.2.3-linux-arm64 oci-archive:/out/svc-1.2.3-linux-arm64.oci.tar:localhost/svc:1.2.3-linux-arm64',
  ]);
});
