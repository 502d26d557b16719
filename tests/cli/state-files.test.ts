/** Files that commands write: where links lead, where nothing may be written, and one beside the other. */

import { describe, expect, test } from 'bun:test';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Catalog, emptyCatalog, schemaHash, toSchemaDocument } from '#catalog';
import { renderSchema } from '#schema';
import { StorageError } from '#storage';
import { CommandFailure } from '../../src/cli/frame/command-failure.ts';
import { reportedErrorOf } from '../../src/cli/frame/reported-error.ts';
import { startOfHash } from '../../src/cli/project/accepted.ts';
import { readConfig } from '../../src/cli/project/config.ts';
import { StateDirectory } from '../../src/cli/project/state-directory.ts';
import { writeAll } from '../../src/cli/project/write-all.ts';
import { createWhole, writeWhole } from '../../src/cli/project/write-file.ts';
import { catalogOf, users } from '../catalog/support.ts';
import { answering, newDirectory, projectAt, runWithin, shellFor } from './within.ts';

/** The schema of the file. */
const wanted = catalogOf(users);
const hashStart = startOfHash(schemaHash(wanted));

function failureOf(action: () => unknown): CommandFailure['facts'] {
  try {
    action();
  } catch (error) {
    if (error instanceof CommandFailure) return error.facts;
    throw error;
  }
  throw new Error('expected a failure');
}

test('a link stays a link: what it leads to is written', () => {
  const root = newDirectory();
  const [real, link] = [join(root, 'real.yaml'), join(root, 'link.yaml')];
  writeFileSync(real, 'old');
  symlinkSync('real.yaml', link);
  writeWhole(link, 'new');
  expect([lstatSync(link).isSymbolicLink(), readFileSync(real, 'utf8')]).toEqual([true, 'new']);
  expect(readdirSync(root)).toHaveLength(2);
});

test('what cannot be written is named, in words', () => {
  const root = newDirectory();
  writeFileSync(join(root, 'file'), '');
  const path = join(root, 'file', 'below');
  for (const write of [writeWhole, createWhole]) {
    const { code, message } = failureOf(() => write(path, 'text'));
    expect([code, message]).toEqual([
      'file_unwritable',
      `${path} cannot be written: a component of the path is not a directory`,
    ]);
  }
});

test('a device that takes a few bytes at a time gets all of them', () => {
  const taken: string[] = [];
  writeAll(Buffer.from('tables: []'), (rest) => {
    taken.push(Buffer.from(rest.subarray(0, 4)).toString());
    return Math.min(4, rest.length);
  });
  expect(taken).toEqual(['tabl', 'es: ', '[]']);
  expect(() => writeAll(Buffer.from('tables'), () => 0)).toThrow('only 0 of 6 bytes were written');
});

/** Every write to it fails: the device is full. */
const fullDevice = '/dev/full';

/** The copy that is written before the file gets its name goes to the full device. */
function withoutRoom(path: string): void {
  symlinkSync(fullDevice, `${path}.${process.pid}.tmp`);
}

describe.skipIf(!existsSync(fullDevice))('on a full device', () => {
  test('a file stays what it was, and no copy is left', () => {
    for (const write of [writeWhole, createWhole]) {
      const root = newDirectory();
      const path = join(root, 'file');
      withoutRoom(path);
      const { code, message } = failureOf(() => write(path, 'new'));
      expect([code, message]).toEqual([
        'file_unwritable',
        `${path} cannot be written: the device is full`,
      ]);
      expect(readdirSync(root)).toEqual([]);
    }
  });

  test('a file that is there already needs no room', () => {
    const path = join(newDirectory(), 'file');
    writeFileSync(path, 'old');
    withoutRoom(path);
    expect([createWhole(path, 'new'), readFileSync(path, 'utf8')]).toEqual([false, 'old']);
  });

  test.each([
    ['before', 'pending/d1.json', 'nothing was sent, so nothing was changed'],
    [
      'after',
      `accepted/00000001-${hashStart}`,
      'the migration is complete, but this project has not recorded it',
    ],
  ])('a migration says that it stands %s its commit', async (_, file, standing) => {
    let schema: Catalog = emptyCatalog;
    using server = answering({
      'GET /info': { database_id: 'd1', access: 'write', mode: 'schema' },
      'GET /schema': () => ({
        schema_version: schema.tables.length,
        schema_hash: schemaHash(schema),
        schema: toSchemaDocument(schema),
      }),
      'POST /schema/diff': () => ({
        current_version: schema.tables.length,
        current_hash: schemaHash(schema),
        changes: [],
        destructive: [],
        blocking: [],
      }),
      'GET /schema/transitions': { transitions: [] },
      'POST /schema/migrate': () => {
        schema = wanted;
        return { state: 'ready', transition_ids: [], changes: [] };
      },
    });
    const config = projectAt(server.url, renderSchema(wanted));
    const path = join(dirname(config), 'svc.state', file);
    mkdirSync(dirname(path), { recursive: true });
    withoutRoom(file.startsWith('accepted') ? `${path}.svc.schema.yaml` : path);
    const argv = ['schema', 'migrate', '--config', config];
    const { trouble } = await runWithin(shellFor().shell, argv);
    expect(trouble?.message).toEndWith(`cannot be written: the device is full; ${standing}`);
    const isSent = server.requests.some((it) => it.startsWith('POST /schema/migrate'));
    expect(isSent).toBe(file.startsWith('accepted'));
    // With room again, the same command has the last word.
    const again = await runWithin(shellFor().shell, argv);
    expect([again.trouble, again.exitCode]).toEqual([undefined, 0]);
  });
});

test('backups of one second stand beside each other', () => {
  const root = newDirectory();
  const state = new StateDirectory(root);
  const paths = ['a', 'b', 'c'].map((text) => state.backUp(text, 0));
  expect(paths.map((path) => readFileSync(join(root, path), 'utf8'))).toEqual(['a', 'b', 'c']);
  expect(readdirSync(dirname(join(root, paths[0] as string)))).toHaveLength(3);
});

test('an alias in the configuration is refused in words', () => {
  const root = newDirectory();
  mkdirSync(root, { recursive: true });
  const path = join(root, 'svc.config.yaml');
  writeFileSync(path, 'environments: { a: &a { database_url: "svc://h" }, b: *a }\n');
  expect(failureOf(() => readConfig(path)).message).toContain('YAML aliases are not allowed');
});

test('a store whose directory is a file is refused in words', () => {
  const cause = Object.assign(new Error('EEXIST: file already exists, mkdir'), { code: 'EEXIST' });
  const error = new StorageError({ kind: 'io', operation: 'open', object: 'data' }, cause);
  expect(reportedErrorOf(error)?.message).toBe(
    'open data failed: a component of the path is not a directory',
  );
});
