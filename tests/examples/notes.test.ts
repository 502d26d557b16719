/** The notes of `examples/notes`, started as `npm run example:notes` starts them: two users, with the queries and keys of their pages. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { connect } from '../../examples/notes/src/db/db.gen.ts';
import {
  AuthError,
  type Client,
  TargetNotFoundError,
} from '../../examples/notes/src/db/svc-runtime.gen.ts';
import * as queries from '../../examples/notes/src/notes.ts';
import { rejection } from '../support/outcome.ts';

// Only ends what hangs.
setDefaultTimeout(120_000);

const root = join(import.meta.dir, '../..');
const command = [process.execPath, 'run', join(root, 'examples/notes/start.ts')];
const child = Bun.spawn(command, {
  env: { ...process.env, SVC_ADDR: '127.0.0.1:0', PORT: '0' },
  stdout: 'pipe',
  stderr: 'inherit',
});
let page = '';
let pages: readonly string[] = [];
let ada: Client;
let bob: Client;

beforeAll(async () => {
  let said = '';
  for await (const bytes of child.stdout) {
    said += new TextDecoder().decode(bytes);
    const urls = [...said.matchAll(/are at (\S+)#(\S+)\n/g)];
    if (urls.length < 2) continue;
    page = urls[0]?.[1] ?? '';
    pages = urls.map(([, url, facts]) => `${url}#${facts}`);
    [ada, bob] = urls.map(([, , facts]) => {
      const given = new URLSearchParams(facts);
      return connect({ url: given.get('database') ?? '', token: given.get('key') ?? '' });
    }) as [Client, Client];
    return;
  }
  throw new Error(`the example does not start: ${said}`);
});
afterAll(async () => {
  child.kill();
  await child.exited;
});

const bodies = async (user: Client) =>
  (await user.run(queries.notes)).map(({ body, shares }) => [body, shares.map((s) => s.user)]);

test('a user sees the own notes, and those that others share', async () => {
  await ada.run(queries.write('ada', 'Plans'));
  const { id } = await ada.run(queries.write('ada', 'Recipes'));
  await bob.run(queries.write('bob', 'Songs'));
  expect(await bodies(bob)).toEqual([['Songs', []]]);
  await ada.run(queries.share(Number(id), 'bob'));
  expect(await bodies(ada)).toEqual([
    ['Plans', []],
    ['Recipes', ['bob']],
  ]);
  // Bob does not see with whom the note is shared.
  expect(await bodies(bob)).toEqual([
    ['Recipes', []],
    ['Songs', []],
  ]);
});

test('only the owner changes, deletes and shares a note', async () => {
  const { id } = await ada.run(queries.write('ada', 'Shared'));
  const note = Number(id);
  await ada.run(queries.share(note, 'bob'));
  expect(await rejection(bob.run(queries.change(note, 'Mine')))).toBeInstanceOf(
    TargetNotFoundError,
  );
  expect(await rejection(bob.run(queries.remove(note)))).toBeInstanceOf(TargetNotFoundError);
  expect(await rejection(bob.run(queries.share(note, 'eve')))).toBeInstanceOf(AuthError);
  expect(await rejection(bob.run(queries.write('ada', 'Forged')))).toBeInstanceOf(AuthError);
  await ada.run(queries.change(note, 'Changed'));
  expect(await bodies(bob)).toContainEqual(['Changed', []]);
  await ada.run(queries.remove(note));
  expect(await bodies(bob)).not.toContainEqual(['Changed', []]);
});

test('the files of the page are served, and contain no key', async () => {
  const html = await (await fetch(page)).text();
  const script = /src="([^"]+)"/.exec(html)?.[1] ?? '';
  const code = await (await fetch(new URL(script, page))).text();
  expect(code).toContain('Notes of');
  expect(html + code).not.toContain('svck_');
  const read = (name: string) => readFileSync(join(root, 'examples/notes', name), 'utf8');
  expect(read('src/index.html')).toContain('page.js');
});

const executablePath = Bun.which('chromium') ?? undefined;
if (executablePath === undefined)
  console.warn('NOT TESTED: the notes in a browser; there is no chromium');

test.skipIf(executablePath === undefined)('two users in two windows', async () => {
  const browser = await chromium.launch({
    executablePath: executablePath as string,
    args: ['--no-sandbox'],
  });
  try {
    const [first, second] = await Promise.all(
      pages.map(async (url) => {
        const window = await (await browser.newContext()).newPage();
        window.on('pageerror', (error) => expect(error).toBeUndefined());
        await window.goto(url);
        await window.getByRole('heading', { name: 'Notes of' }).waitFor();
        return window;
      }),
    );
    if (first === undefined || second === undefined) throw new Error('two windows');
    await first.getByLabel('A note').fill('Seen by both');
    await first.getByRole('button', { name: 'Write' }).click();
    const own = first.locator('li', { hasText: 'Seen by both' });
    first.once('dialog', (dialog) => dialog.accept('bob'));
    await own.getByRole('button', { name: 'Share' }).click();
    await own.getByText('shared with bob').waitFor();
    await second.reload();
    const shared = second.locator('li', { hasText: 'Seen by both (of ada)' });
    await shared.waitFor();
    expect(await shared.getByRole('button').count()).toBe(0);
  } finally {
    await browser.close();
  }
});
