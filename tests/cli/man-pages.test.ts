/** The manual pages: one per command of docs/cli.md, with its options and exit codes. */

import { expect, test } from 'bun:test';
import { cliReference, manPages } from '#cli';

const pages = manPages('2026-01-02');
const plain = (name: string): string => (pages.get(name) ?? '').replaceAll('\\-', '-');

test('there is a page for svc and one for each command of the reference', () => {
  const commands = [...cliReference().matchAll(/^#+ (svc(?: [a-z-]+)+)/gm)].map(([, path]) => path);
  const names = commands.map((path) => `${path?.replaceAll(' ', '-')}.1`);
  expect([...pages.keys()].sort()).toEqual(['svc.1', ...names].sort());
});

test('a page has each flag of its command in the reference', () => {
  for (const section of cliReference()
    .split(/^(?=#+ svc )/m)
    .slice(1)) {
    const [, path = ''] = /^#+ (svc(?: [a-z-]+)+)/.exec(section) ?? [];
    for (const [, flags = ''] of section.matchAll(/^\| `(-[^`]*)` /gm)) {
      expect(plain(`${path.replaceAll(' ', '-')}.1`)).toContain(
        `\n.B ${flags.replaceAll('\\|', '|')}\n`,
      );
    }
  }
});

test('exit codes are a list, also where a text has a dot of its own', () => {
  expect(plain('svc-operator.1')).toMatch(/^\.SH EXIT STATUS\n\.TP\n\.B 0\n.* · with --once/m);
  expect(plain('svc-validate.1')).toContain('.TP\n.B 0\nvalid\n.TP\n.B 1\nnot valid\n');
});

test.skipIf(Bun.which('mandoc') === null)('mandoc has no complaint', () => {
  const checked = Bun.spawnSync(['mandoc', '-T', 'lint', '-W', 'warning'], {
    stdin: Buffer.from([...pages.values()].join('')),
    stdout: 'pipe',
  });
  expect(checked.stdout.toString()).toBe('');
});
