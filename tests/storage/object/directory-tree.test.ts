/** The directories of a store: what an opening clears away. */

import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { refuseUnusable } from '../../../src/storage/check/unusable.ts';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import { systemDirectory } from '../../../src/storage/object/system-directory.ts';
import { openDirectoryLocation } from '../../../src/storage/place/location.ts';
import { rejection } from '../../support/outcome.ts';

const place = mkdtempSync(join(tmpdir(), 'svc-directory-tree-'));
const root = join(place, 'store');
afterAll(() => rmSync(place, { recursive: true }));

test('files of a killed process in tmp/ go, those of its spill directory too', async () => {
  mkdirSync(join(root, 'tmp', 'spill'), { recursive: true });
  writeFileSync(join(root, 'tmp', '0123456789abcdef'), 'half an object');
  writeFileSync(join(root, 'tmp', 'spill', 'svc-spill-1'), 'rows');
  await prepareTree(systemDirectory(root));
  expect(readdirSync(join(root, 'tmp'), { recursive: true })).toEqual(['spill']);
});

test('if tmp is a symbolic link, the start is refused and the files behind the link stay', async () => {
  const [linked, elsewhere] = [join(place, 'linked'), join(place, 'elsewhere')];
  for (const path of [linked, elsewhere]) mkdirSync(path);
  writeFileSync(join(elsewhere, 'letter'), 'of another program');
  symlinkSync(elsewhere, join(linked, 'tmp'));
  const world = systemWorld();
  const identity = { pid: 1, hostname: 'here', startedUnixMs: 0 };
  const refused = { fault: { kind: 'linked', object: 'tmp' } };
  expect(await rejection(prepareTree(systemDirectory(linked)))).toMatchObject(refused);
  expect(await rejection(openDirectoryLocation({ path: linked, world, identity }))).toMatchObject(
    refused,
  );
  expect(() => refuseUnusable(linked)).toThrow('tmp in the storage directory is a symbolic link');
  expect([readdirSync(linked), readdirSync(elsewhere)]).toEqual([['tmp'], ['letter']]);
});

test('an opening frees the space of a killed process in the background', async () => {
  const path = mkdtempSync(join(place, 'killed-'));
  mkdirSync(join(path, 'tmp'));
  writeFileSync(join(path, 'tmp', 'run-1'), 'changed rows');
  const unlink = () => {
    throw new Error('frees space on this thread');
  };
  await prepareTree({ ...systemDirectory(path), unlink });
  expect(readdirSync(join(path, 'tmp'))).toEqual([]);
});
