/** The task board in two windows of Chromium, started as `npm run example` starts it: what one does, the other sees. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

// Only ends what hangs.
setDefaultTimeout(120_000);

const root = join(import.meta.dir, '../..');
const executablePath = Bun.which('chromium') ?? undefined;
if (executablePath === undefined)
  console.warn('NOT TESTED: the example in a browser; there is no chromium');

/** Starts the example on free ports; the address of the board. */
async function example() {
  const child = Bun.spawn([process.execPath, 'run', join(root, 'examples/board/start.ts')], {
    env: { ...process.env, SVC_ADDR: '127.0.0.1:0', PORT: '0' },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  let said = '';
  for await (const bytes of child.stdout as ReadableStream<Uint8Array>) {
    said += new TextDecoder().decode(bytes);
    const url = /the board is at (\S+)/.exec(said)?.[1];
    if (url === undefined) continue;
    const stop = async () => {
      child.kill();
      await child.exited;
    };
    return { url, [Symbol.asyncDispose]: stop };
  }
  throw new Error(`the example does not start: ${said}`);
}

test.skipIf(executablePath === undefined)(
  'a card that one moves, the other sees moving',
  async () => {
    await using board = await example();
    const browser = await chromium.launch({
      executablePath: executablePath as string,
      args: ['--no-sandbox'],
    });
    try {
      const [ada, grace] = await Promise.all(
        ['Ada', 'Grace'].map(async (name) => {
          const page = await (await browser.newContext()).newPage();
          page.on('pageerror', (error) => expect(error).toBeUndefined());
          await page.goto(board.url);
          await page.getByRole('button', { name }).click();
          await page.getByRole('link', { name: 'Launch' }).click();
          await page.waitForSelector('[data-card="4"]');
          return page;
        }),
      );
      if (ada === undefined || grace === undefined) throw new Error('two windows');
      await ada.getByLabel('Title of the card').fill('Seen at once <i>');
      await ada.getByRole('button', { name: 'Add' }).click();
      const seen = grace.locator('[data-state="todo"] .card', { hasText: 'Seen at once <i>' });
      await seen.waitFor();
      await seen.getByRole('button', { name: 'Doing' }).click();
      await ada.locator('[data-state="doing"] .card', { hasText: 'Seen at once <i>' }).waitFor();
      // Who is on a button stays there while the board changes.
      const button = ada.locator('[data-card="4"] button').first();
      await button.focus();
      await grace.getByLabel('Title of the card').fill('Added meanwhile');
      await grace.getByRole('button', { name: 'Add' }).click();
      await ada.getByRole('link', { name: 'Added meanwhile' }).first().waitFor();
      expect(
        await button.evaluate((found) =>
          (found as { matches(selector: string): boolean }).matches(':focus'),
        ),
      ).toBe(true);
      await ada.getByRole('link', { name: 'Seen at once <i>' }).first().click();
      await ada.getByLabel('Comment').fill('Well moved.');
      await ada.getByRole('button', { name: 'Comment' }).click();
      await ada.locator('.comments', { hasText: 'Well moved.' }).waitFor();
      await ada.getByLabel('Assignee').selectOption('Edgar');
      await ada.getByRole('button', { name: 'Assign' }).click();
      const card = grace.locator('.card', { hasText: 'Seen at once <i>' });
      await card.getByText('1 comment').waitFor();
      await card.getByText('Edgar').waitFor();
      expect(await grace.locator('.card').count()).toBe(6);
      await grace.reload();
      expect(await grace.locator('.activity li').allInnerTexts()).toHaveLength(7);
    } finally {
      await browser.close();
    }
  },
);
