/** The thread that reads one schema file, an entry point of its own: the YAML library composes a file in one go, and a long one holds a thread for long. */

import { sourceOf } from './decode.ts';
import { readSchema } from './parse.ts';

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<string>) => {
  self.postMessage(readSchema(data, sourceOf('', data)));
};
