/** Reads a whole table, or all that finds its entries, and says what of it is not as it was written. */

import { BlockCache } from '../cache/block-cache.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import type { ObjectReader } from '../object/store.ts';
import { SectionReader } from './section-reader.ts';
import { TableSections } from './table-sections.ts';
import type { ValueCodecs } from './value-codec.ts';

export interface TableCheck {
  /** Also the blocks: all bytes of the file. */
  readonly blocks: boolean;
  /** Between two parts of some 2 MiB. */
  readonly rest: () => Promise<void>;
}

/** What is wrong with it in the order of the file; more than a few things are not looked for. Nothing when it is whole. */
const findingsMax = 8;
const cacheBytes = 4 << 20;

/** `reader` stays open; `codecs` are those that the table is read with. Rejects when the place cannot be asked. */
export async function checkTable(
  reader: ObjectReader,
  entry: TableEntry,
  codecs: ValueCodecs,
  check: TableCheck,
): Promise<readonly unknown[]> {
  const cache = new BlockCache(cacheBytes);
  const read = new SectionReader(reader, entry.name);
  const sections = new TableSections(read, cache, codecs, entry.footer);
  const found: unknown[] = [];
  const attempt = async (work: () => unknown): Promise<void> => {
    if (found.length >= findingsMax) return;
    try {
      await work();
    } catch (error) {
      found.push(error);
    }
  };
  await attempt(async () => {
    for (let wait = sections.open(); wait !== undefined; wait = sections.open()) await wait;
  });
  for (let at = 0; at < (sections.partitions?.length ?? 0); at++) {
    await attempt(async () => {
      const partition = await sections.partition(at);
      for (let block = 0; check.blocks && block < partition.blocks; block++) {
        await attempt(() => sections.passingBlock(partition, block));
      }
    });
    await check.rest();
  }
  return found;
}
