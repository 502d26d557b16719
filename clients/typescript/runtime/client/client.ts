/** The client that applications hold: queries in, native values out. */

import { originOf } from './address.ts';
import { answerCache } from './cache.ts';
import type { Channel } from './channel.ts';
import type { Client } from './client-api.ts';
import { directFetch } from './direct-fetch.ts';
import { exchangeOver, type Fetch } from './exchange.ts';
import { guardOf } from './guard.ts';
import { checkedHeaders, tokensOf } from './headers.ts';
import { membersOver } from './members.ts';
import type { ClientOptions } from './options.ts';
import type { Generated } from './seam.ts';
import { serverAt } from './server.ts';
import { systemWorld, type World } from './world.ts';

/** Throws BuildError for options that no request can be made with. */
export function createClient(
  generated: Generated,
  options: ClientOptions,
  world: World = systemWorld,
): Client {
  const channel = channelOf(options, world);
  const cache = answerCache(options.cache);
  const over = (url: string, isReader: boolean) => {
    const origin = originOf(url);
    const guard = guardOf(origin, channel, generated);
    return membersOver(serverAt(origin, channel, guard, cache), channel, generated, isReader);
  };
  const { url, readerUrl = url } = options;
  const members = {
    ...over(url, false),
    reader: over(readerUrl, true),
    close: () => {
      channel.isClosed = true;
      for (const giveUp of channel.underWay) giveUp();
      cache.clear();
    },
  };
  return members as object as Client;
}

function channelOf(options: ClientOptions, world: World): Channel {
  const fetch: Fetch = options.fetch ?? directFetch;
  return {
    options,
    world,
    exchange: exchangeOver(fetch, options.use ?? []),
    tokens: tokensOf(options.token),
    headers: checkedHeaders(options.headers ?? {}),
    underWay: new Set(),
    isClosed: false,
  };
}
