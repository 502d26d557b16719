/**
 * The growing end of an SSTable file: appends sections and keeps the length, the hash and the
 * checksums.
 */

import type { Pending } from '#base';
import { encodeFooter, type Footer, footerChecksum } from './footer.ts';
import { sectionChecksum, sections, seedOfTable } from './section-checksum.ts';
import type { TableSink } from './table-sink.ts';
import { encodeTopIndex, type PartitionSummary } from './top-index.ts';

export class FileTail {
  length = 0;
  /**
   * xxHash3 of each section in order, seeded with the hash of the sections before it. The hash
   * changes with any byte, and does not need the file as a whole.
   */
  hash = 0n;
  readonly seed: number;
  private readonly sink: TableSink;
  private wait: Pending | undefined;
  /** Checksum of the footer, set when the footer has been written. */
  footer = 0;

  constructor(name: string, sink: TableSink) {
    this.seed = seedOfTable(name);
    this.sink = sink;
  }

  /** Appends a section and returns its checksum. */
  append(bytes: Uint8Array, section: number): number {
    const checksum = sectionChecksum(bytes, this.seed, section);
    this.push(bytes);
    return checksum;
  }

  writeEnd(
    partitions: readonly PartitionSummary[],
    rest: Omit<Footer, 'partitions' | 'topAt' | 'topBytes' | 'topChecksum'>,
  ): void {
    const topAt = this.length;
    const top = encodeTopIndex(partitions);
    const topChecksum = this.append(top, sections.topIndex);
    const footer: Footer = {
      ...rest,
      partitions: partitions.length,
      topAt,
      topBytes: top.length,
      topChecksum,
    };
    const bytes = encodeFooter(footer, (given) =>
      sectionChecksum(given, this.seed, sections.footer),
    );
    this.footer = footerChecksum(bytes);
    this.push(bytes);
  }

  /** Returns the waits that the sink has requested since the last call. */
  takeWait(): Pending | undefined {
    const { wait } = this;
    this.wait = undefined;
    return wait;
  }

  private push(bytes: Uint8Array): void {
    this.hash = Bun.hash.xxHash3(bytes, this.hash);
    this.length += bytes.length;
    const wait = this.sink.write(bytes);
    if (wait !== undefined) {
      this.wait =
        this.wait === undefined ? wait : Promise.all([this.wait, wait]).then(() => undefined);
    }
  }
}
