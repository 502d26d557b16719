/** The `fetch` of the runtime. Under Bun a proxy of the environment would get requests to this machine as well; other runtimes know no such option. */

import type { Fetch } from './exchange.ts';

const local = /^\w+:..(localhost|127[.\d]+|\[::1])[:/]/i;
const direct = { proxy: false };

/** Takes the URLs that `originOf` begins. */
export const directFetch: Fetch = (url, init) =>
  fetch(url, local.test(url) ? { ...init, ...direct } : init);
