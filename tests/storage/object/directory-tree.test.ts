/** The directories of a store: what an opening clears away. */

import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import { systemDirectory } from '../../../src/storage/object/system-directory.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-directory-tree-'));
afterAll(() => rmSync(root, { recursive: true }));

test('files of a killed process in tmp/ go, those of its spill directory too', async () => {
  mkdirSync(join(root, 'tmp', 'spill'), { recursive: true });
  writeFileSync(join(root, 'tmp', '0123456789abcdef'), 'half an object');
  writeFileSync(join(root, 'tmp', 'spill', 'svc-spill-1'), 'rows');
  await prepareTree(systemDirectory(root));
  expect(readdirSync(join(root, 'tmp'), { recursive: true })).toEqual(['spill']);
});
