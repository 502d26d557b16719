/** The checks of smoke.ts in a page of Chromium, or in a worker of that page: the page comes from another origin than the answers. */

import { chromium } from 'playwright-core';
import type { Places } from './smoke.ts';

export const chromiumPath = (): string | undefined => Bun.which('chromium') ?? undefined;

/** Where the checks run: both have a script of modules and no document of their own to speak of. */
export type Where = 'page' | 'worker';

/** A site with the checks. Its origin is what `--cors-origin` has to allow. */
export function serveChecks(smoke: string): { readonly origin: string; stop(): Promise<void> } {
  const script = (text: string) =>
    new Response(text, { headers: { 'content-type': 'text/javascript' } });
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    routes: {
      '/': () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } }),
      '/smoke.mjs': () => new Response(Bun.file(smoke)),
      '/worker.mjs': () => script(worker),
    },
  });
  return { origin: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

const worker = `import { smoke } from './smoke.mjs';
self.onmessage = async ({ data }) => {
  try {
    self.postMessage({ passed: await smoke(data) });
  } catch (error) {
    self.postMessage({ failed: String(error) });
  }
};
`;

/** As text of JavaScript: this file is not bundled for browsers. */
const inPage = (places: Places) => `import('/smoke.mjs').then(({ smoke }) =>
  smoke(${JSON.stringify(places)})).then((passed) => ({ passed }), (error) => ({ failed: String(error) }))`;
const inWorker = (places: Places) => `new Promise((resolve) => {
  const worker = new Worker('/worker.mjs', { type: 'module' });
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => resolve({ failed: message });
  worker.postMessage(${JSON.stringify(places)});
})`;

interface Told {
  readonly passed?: readonly string[];
  readonly failed?: string;
}

/** How many checks have passed, or why not. */
export async function checksIn(where: Where, origin: string, places: Places): Promise<string> {
  const browser = await chromium.launch({
    executablePath: chromiumPath() as string,
    args: ['--no-sandbox'],
  });
  try {
    const page = await browser.newPage();
    await page.goto(origin);
    const text = where === 'page' ? inPage(places) : inWorker(places);
    const { passed, failed } = (await page.evaluate(text)) as Told;
    if (passed === undefined) throw new Error(failed ?? 'nothing was told');
    return `${passed.length} checks`;
  } finally {
    await browser.close();
  }
}
