/** Reads a whole SSTable, or only its footer and indexes, and reports damaged parts. */

import { BlockCache } from '../cache/block-cache.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import type { ObjectReader } from '../object/store.ts';
import { BlockBuffer } from './block-buffer.ts';
import { SectionReader } from './section-reader.ts';
import { TableSections } from './table-sections.ts';
import type { ValueCodecs } from './value-codec.ts';

export interface TableCheck {
  /** Whether to check the data blocks too, and thus all bytes of the file. */
  readonly blocks: boolean;
  /** Called after each partition, that is, after about 2 MiB. */
  readonly rest: () => Promise<void>;
}

/** The check stops after this many findings. */
const findingsMax = 8;
const cacheBytes = 4 << 20;

/**
 * Returns the findings in the order of the file; an empty list if the SSTable is intact. A storage
 * location that does not respond is a finding, too. `reader` stays open. `codecs` are the codecs
 * with which the SSTable is read.
 */
export async function checkTable(
  reader: ObjectReader,
  entry: TableEntry,
  codecs: ValueCodecs,
  check: TableCheck,
): Promise<readonly unknown[]> {
  const cache = new BlockCache(cacheBytes);
  const read = new SectionReader(reader, entry.name);
  const sections = new TableSections(read, cache, codecs, entry);
  const buffer = new BlockBuffer();
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
        await attempt(() => sections.passingBlock(partition, block, buffer));
      }
    });
    await check.rest();
  }
  return found;
}
