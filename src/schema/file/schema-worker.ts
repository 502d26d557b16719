/** The entry point of the thread that parses schema files. The YAML library composes a file without yielding, so a long file blocks its thread. */

import { sourceOf } from './decode.ts';
import { readSchema } from './parse.ts';

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<string>) => {
  self.postMessage(readSchema(data, sourceOf('', data)));
};
