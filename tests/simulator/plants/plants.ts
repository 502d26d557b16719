/** Known bugs, each by one change of the text of one file: what a careless hand might write. An oracle must find each of them. */

import type { Mutant } from '../../mutants/mutants.ts';

export const plants: readonly Mutant[] = [
  // Durability
  plant('skip-fsync', 'log/local-log.ts', [
    'await open.file.writeDurably(image, position);',
    'await open.file.write(image, position);',
  ]),
  plant('ack-early', 'transaction/commit-queue.ts', [
    'return this.parts.acknowledgesEarly ? undefined : this.parts.log.durable(sequence);',
    'return undefined;',
  ]),
  plant('visible-before-durable', 'transaction/transaction.ts', [
    'return this.readOnly(this.commitQueue.durable(this.sequence));',
    'return this.readOnly(undefined);',
  ]),
  plant('no-directory-sync-of-created-objects', 'object/file-store.ts', [
    '    await io.syncDirectory(parentOf(name));\n    return isMade',
    '    return isMade',
  ]),
  plant('no-directory-sync-of-tables', 'object/file-writer.ts', [
    '() => io.rename(temporary, name));\n      if (isLasting) await io.syncDirectory(parentOf(name));',
    '() => io.rename(temporary, name));',
  ]),
  plant('no-directory-sync-of-segments', 'log/segment-files.ts', [
    'await this.io.syncDirectory(logDirectory);',
    'await null;',
  ]),
  plant('named-before-synced', 'object/make-named.ts', ['    await file.sync();\n', '']),
  plant('manifest-published-before-its-tables', 'merge/run-order.ts', [
    'finish: () => objects.put(name, sink.body)',
    'finish: async () => void objects.put(name, sink.body).catch(() => {})',
  ]),
  plant('failed-sync-is-tried-again', 'log/local-log.ts', [
    'await open.file.writeDurably(image, position);',
    'await open.file.writeDurably(image, position).catch(() => open.file.sync());',
  ]),
  plant('place-gone-but-acknowledged', 'log/local-log.ts', [
    'if (!this.isThere()) throw this.moved();',
    '',
  ]),
  plant('recovered-tail-is-not-secured', 'log/segment-reading.ts', [
    'await file.write(image.subarray(scan.lastGroup, scan.end), scan.lastGroup);\n    await file.sync();',
    'await null;',
  ]),
  plant('log-of-a-torn-tail-accepted', 'log/record.ts', [
    'if (crc32(bytesOf(view, at + 4, at + length)) !== crc) return undefined;',
    '',
  ]),
  plant('log-trimmed-too-early', 'log/segment-files.ts', [
    'if (oldest.seal.lastRecord > boundary || oldest.seal.segment >= segment) return;',
    'if (oldest.seal.lastRecord > boundary + 2) return;',
  ]),
  plant('boundary-off-by-one', 'maintenance/publisher.ts', [
    'const boundary = flushed?.sequenceMax ?? this.boundaryNow();',
    'const boundary = (flushed && Math.min(flushed.sequenceMax + 1, this.parts.durable.log.durableTo)) ?? this.boundaryNow();',
  ]),
  plant('seal-ignored', 'local/open-durable.ts', [
    'seals: newest.seals,\n    begun',
    'seals: newest.seals.slice(1),\n    begun',
  ]),
  // What is lost at rest
  plant('epoch-claimed-below-a-name', 'manifest/claims.ts', [
    'if (epoch === undefined) return highest;',
    'if (epoch !== 0) return highest;',
  ]),
  plant('successor-announced-before-it-is-there', 'log/local-log.ts', [
    'const next = await this.files.open(bytes, chain);\n    const id = { epoch, segment: open.segment };\n    await open.file.writeDurably(segmentMark(id, { end, lastRecord: chain.record }), markOffset);',
    'const id = { epoch, segment: open.segment };\n    await open.file.writeDurably(segmentMark(id, { end, lastRecord: chain.record }), markOffset);\n    const next = await this.files.open(bytes, chain);',
  ]),
  plant('headless-successor-is-the-end-of-the-log', 'log/marked-log.ts', [
    '    throw damaged(reading, name, 0, detail);',
    "    const scan = { end: 0, lastGroup: 0, chain: reading.chain, fault: undefined };\n    if (detail !== '') return { scan, mark: undefined };",
  ]),
  plant('newest-manifest-of-a-bucket-is-not-missed', 'bucket/claim.ts', [
    'const missing = missingManifest(survivors, newest.manifest);',
    'const missing = missingManifest(survivors, { epoch: Infinity, number: Infinity });',
  ]),
  plant('manifest-deleted-under-a-writer', 'maintenance/table-survey.ts', [
    'const manifest = await restoreManifest();',
    'const manifest = await Promise.resolve();',
  ]),
  // Dropped ranges
  plant('dropped-while-viewed', 'maintenance/publisher.ts', [
    'versions.dropped.upTo(Math.min(boundary, oldestView() ?? Infinity))',
    'versions.dropped.upTo(boundary)',
  ]),
  plant('dropped-before-published', 'maintenance/publisher.ts', [
    'versions.dropped.upTo(Math.min(boundary, oldestView() ?? Infinity))',
    'versions.dropped.upTo(oldestView() ?? Infinity)',
  ]),
  plant('dropped-range-forgets-its-sequence', 'version/dropped-ranges.ts', [
    'fresh.map((range) => made(range, sequence))',
    'fresh.map((range) => made(range, 0))',
  ]),
  plant('dropped-range-comes-back', 'maintenance/publisher.ts', [
    'withDropped(this.propertiesWith(flushed), needed)',
    'withDropped(this.propertiesWith(flushed), [])',
  ]),
  plant('dropped-range-comes-back-from-the-log', 'version/replay-into.ts', [
    'versions.dropped.add(dropped, record);',
    'void dropped;',
  ]),
  // Large commits
  plant('run-published-before-its-record', 'maintenance/flusher.ts', [
    'await log.durable(run.sequenceMax);',
    'void log;',
  ]),
  plant('run-named-by-the-log-is-garbage', 'assembly/open.ts', [
    'durable.manifest,\n          namedByLog(versions),',
    'durable.manifest,\n          namedByLog(versions).slice(1),',
  ]),
  plant('run-lost-by-its-manifest', 'maintenance/flusher.ts', [
    'runs: (now) => [...runEntriesOf(run), ...now], flushed: run',
    'runs: (now) => now, flushed: run',
  ]),
  plant('run-named-before-it-is-synced', 'object/file-writer.ts', [
    'if (isLasting) await this.file.sync();',
    '',
  ]),
  plant('run-shown-to-views-before-it', 'assembly/store-memory.ts', [
    'const tables = committedAt(sequence, contents.tables);',
    'const { tables } = { tables: committedAt(0, contents.tables) };',
  ]),
  plant('sequence-of-a-run-in-its-tables', 'table/table-sections.ts', [
    'new Block(bytes, this.codecs, this.sequence)',
    'new Block(bytes, this.codecs)',
  ]),
  plant('run-below-earlier-writes', 'version/version-set.ts', [
    'if (this.active.entries > 0) this.freezeActive();',
    '',
  ]),
  plant('half-a-run-seen', 'maintenance/run-space.ts', [
    'const { inputs, sources, areas } = merged(runs);',
    'const { inputs, sources, areas } = merged(runs.slice(runs.length > 2 ? 1 : 0));',
  ]),
  plant('ranges-of-a-run-not-validated', 'transaction/commit-queue.ts', [
    'history.addRanges(run.ranges, sequence, nowMs);',
    'void nowMs;',
  ]),
  plant('ranges-without-the-last-key', 'transaction/written-ranges.ts', [
    'last: this.bytes.slice(this.keyFrom, this.keyTo)',
    'last: first',
  ]),
  plant('undone-run-is-data', 'transaction/own-writes.ts', [
    'this.runs = this.runs.slice(0, found.runs);',
    '',
  ]),
  plant('mark-in-a-run-forgotten', 'transaction/own-writes.ts', [
    'for (const mark of this.marks) if (parked && mark.batch === batch) mark.batch = parked;',
    'for (const mark of this.marks) if (parked && mark.batch === batch) mark.batch = new WriteBatch();',
  ]),
  plant('own-run-not-seen', 'version/view.ts', [
    'return this.all ?? this.stored;',
    'return this.stored;',
  ]),
  // Fencing
  plant('no-fence-check', 'log/local-log.ts', [
    'if (fenced !== undefined) throw fenced;',
    'void fenced;',
  ]),
  plant('no-nonce', 'bucket/create-once.ts', [
    'return random.fill(new Uint8Array(16));',
    'return random.fill(new Uint8Array(16)).fill(0);',
  ]),
  plant('refusal-is-not-read-back', 'bucket/create-once.ts', [
    "if ((await objects.putIfAbsent(name, bytes)) === 'committed') return { kind: 'won' };",
    "const sent = await objects.putIfAbsent(name, bytes);\n      if (sent === 'committed') return { kind: 'won' };\n      if (sent === 'conflict') return { kind: 'taken', bytes };",
  ]),
  plant('taken-counts-as-won', 'bucket/create-once.ts', [
    "return equalBytes(found, bytes) ? { kind: 'won' } : { kind: 'taken', bytes: found };",
    "return { kind: 'won' };",
  ]),
  plant('old-log-is-not-fenced', 'bucket/replay-log.ts', [
    'const creation = await createOnce(objects, world, name, fence);',
    "const creation = { kind: 'won' as const };",
  ]),
  plant('own-manifest-taken-for-another', 'bucket/bucket-durable.ts', [
    'if (failure === undefined || past === this.highest) return failure;',
    'return failure;',
  ]),
  plant('trimmed-before-published', 'bucket/bucket-durable.ts', [
    'const bytes = await this.create(manifest, logBoundary);',
    'await this.log.trim(logBoundary);\n      const bytes = await this.create(manifest, logBoundary);',
  ]),
  // Serializability
  plant('range-reads-not-validated', 'transaction/commit-queue.ts', [
    'range: (range) => history.rangeChanged(range, since),',
    'range: () => undefined,',
  ]),
  plant('point-reads-not-validated', 'transaction/commit-queue.ts', [
    'point: (point) => history.pointChanged(point, since),',
    'point: () => undefined,',
  ]),
  plant('empty-gap-not-remembered', 'transaction/read-set.ts', [
    "if (extent !== 'on') return isEmptyRange(range) ? undefined : { from: range.from, to: range.to };",
    "if (extent !== 'on') return undefined;",
  ]),
  plant('last-row-of-a-limit-not-remembered', 'transaction/read-set.ts', [
    'to: afterKey(last) };',
    'to: last };',
  ]),
  plant('history-pruned-too-early', 'transaction/write-history.ts', [
    'this.floor = Math.max(this.floor, dropped.keys.highest);',
    'this.floor = Math.max(this.floor, 0);',
  ]),
  plant('full-history-hides-what-is-behind', 'transaction/write-history.ts', [
    '    (this.generations[0] as Generation).lastMs = nowMs;\n',
    '    (this.generations[0] as Generation).lastMs = nowMs;\n    if (!this.isOpen(this.generations[0] as Generation, nowMs)) this.start(new HistoryKeys(), nowMs);\n',
  ]),
  plant('own-deletions-not-seen', 'transaction/overlay-cursor.ts', [
    'if (order === 0) this.baseIsDue = true;',
    'if (order === 0) this.baseIsDue = !(this.writes.current?.isTombstone ?? false);',
  ]),
  plant('long-commit-seen-early', 'transaction/commit-queue.ts', [
    'const isAdded = !batch.isSmall &&',
    'this.applied = sequence;\n      const isAdded = !batch.isSmall &&',
  ]),
  plant('commit-during-a-long-one', 'transaction/commit-queue.ts', [
    'const wait = this.turns.admission(candidate.turn) ?? this.held;',
    'const wait = this.turns.admission(candidate.turn);',
  ]),
  plant('begun-during-a-long-commit', 'transaction/commit-queue.ts', [
    'const isAdded = !batch.isSmall &&',
    'const isAdded = candidates.oldest === undefined || !batch.isSmall &&',
  ]),
  plant('incomplete-history-off-by-one', 'transaction/commit-queue.ts', [
    'if (since < history.floor) return',
    'if (since < history.floor - 1) return',
  ]),
  plant('undo-gives-ranges-up', 'batch/write-batch.ts', [
    'this.dropped.length = dropped;',
    'void dropped;',
  ]),
  plant('undo-puts-the-newest-write-back', 'batch/write-batch.ts', [
    'this.journal?.replaced(chunk.wordsOf(slot));\n      chunk.set(slot, head, keyFrom, keyTo, valueTo);',
    'chunk.set(slot, head, keyFrom, keyTo, valueTo);\n      this.journal?.replaced(chunk.wordsOf(slot));',
  ]),
  plant('undo-forgets-what-was-read', 'transaction/transaction.ts', [
    'this.reads.closeScans();\n    const steps',
    'Object.assign(this.reads, new ReadSet());\n    const steps',
  ]),
  // Reading and merging
  plant('snapshots-ignored-by-merges', 'assembly/assemble.ts', [
    'const snapshots = () => live.distinct();',
    'const snapshots = () => live.distinct().slice(1);',
  ]),
  plant('deletions-lost-above-the-bottom', 'merge/version-filter.ts', [
    'return this.isBottom && sequence <= this.oldest;',
    'return sequence <= this.oldest;',
  ]),
  plant('past-run-passed-by-too-early', 'version/version.ts', [
    'if (sequence >= this.pastBelow) return this.sources;',
    'if (sequence >= this.pastBelow - 1) return this.sources;',
  ]),
  plant('past-run-forgotten-while-seen', 'maintenance/publisher.ts', [
    'this.parts.versions.forgetPast(this.parts.oldestView() ?? Infinity);',
    'this.parts.versions.forgetPast(Infinity);',
  ]),
  plant('deletion-left-out-of-a-past-run', 'merge/version-filter.ts', [
    'if (!this.isSettled(sequence)) this.heldTombstone = sequence;',
    '',
  ]),
  plant('past-run-not-read', 'version/version.ts', [
    'return past === undefined ? source : [source, past];',
    'return past === undefined ? source : [source];',
  ]),
  plant('versions-straddle-tables', 'merge/merge-run.ts', [
    'if (filter.isNewKey && (run.isOpen || past.isOpen)) {',
    // Where a merge stops, keys begin: otherwise it would never get past a key of many versions.
    'if ((filter.isNewKey || task.stopAfterBytes === undefined) && (run.isOpen || past.isOpen)) {',
  ]),
  plant('wrong-order-of-runs', 'maintenance/flusher.ts', [
    'runs: (now) => [...flushed, ...now],',
    'runs: (now) => [...now.slice(0, 1), ...flushed, ...now.slice(1)],',
  ]),
  plant('filter-with-false-negatives', 'table/bloom.ts', [
    'for (let key = 0; key < keys; key++) {',
    'for (let key = 1; key < keys; key++) {',
  ]),
  plant('checksum-of-tables-not-checked', 'table/section-reader.ts', [
    'if (sectionChecksum(bytes, this.seed, section) === place.checksum) return bytes;',
    'if (place.checksum >= 0) return bytes;',
  ]),
  plant('resumed-merge-forgets-a-key', 'compaction/apply-job.ts', [
    'return [isRaised ? { ...table, smallest: resumeAt } : table];',
    'return [isRaised ? { ...table, smallest: Buffer.concat([resumeAt, Buffer.alloc(1)]) } : table];',
  ]),
  plant('tables-deleted-while-read', 'version/version-set.ts', [
    'if (!this.isNeeded(name)) this.obsolete.push({ name, bytes });',
    'this.obsolete.push({ name, bytes });',
  ]),
  plant('pins-ignored', 'manifest/obsolete-tables.ts', [
    '      if (oldest !== undefined && oldest < manifest) continue;\n',
    '',
  ]),
  plant('missing-table-stops-the-start', 'version/table-files.ts', [
    "absent: Absent = 'tolerated',",
    "absent: Absent = 'refused',",
  ]),
  plant('deleted-table-goes-unnoticed', 'maintenance/table-survey.ts', [
    'await this.restoreNeeded(held);',
    'await null;',
  ]),
  plant('full-disk-stops-the-start', 'assembly/open.ts', [
    'if (store === undefined) throw error;',
    'throw error;',
  ]),
  plant('kept-entry-is-an-old-one', 'version/manifest-entries.ts', [
    'const before = this.entries.find((entry) => equalBytes(entry.key, key));\n        if',
    'const before = this.entries[0];\n        if',
  ]),
  plant('kept-entry-outlives-its-deletion', 'version/manifest-entries.ts', [
    'if (!lookup.isTombstone) entries.push(entryIn(lookup));\n      } else {',
    'entries.push(entryIn(lookup));\n      } else {',
  ]),
  plant('tables-never-deleted', 'manifest/obsolete-tables.ts', [
    'if (tables.length === 0) return;',
    'if (tables.length >= 0) return;',
  ]),
  // Rows as columns
  plant('zone-misses-its-greatest-number', 'table/zones.ts', [
    'view.getFloat64(at + 8, true) < bound.min',
    'view.getFloat64(at + 8, true) <= bound.min',
  ]),
  plant('zone-misses-its-greatest-text', 'table/text-zones.ts', [
    'this.compare(least, leastAt + endBytes) > 0',
    'this.compare(least, leastAt + endBytes) >= 0',
  ]),
  plant('texts-of-a-zone-start-alike', 'table/text-zones.ts', [
    'while (length < most && least[length] === greatest[length]) length++;',
    'while (length < most && length < 3) length++;',
  ]),
  plant('partition-has-the-zone-of-its-last-block', 'table/zones.ts', [
    'return [(others as Zone[]).reduce(zoneOfBoth, first)];',
    'return [(others.at(-1) ?? first) as Zone];',
  ]),
  plant('newer-versions-left-out-by-zones', 'cursor/read-sources.ts', [
    'const cursor = source.scan(range, direction, snapshot);\n    if (cursor === emptyCursor) continue;',
    'const cursor = source.scan(range, direction, snapshot, bounds);\n    if (cursor === emptyCursor) continue;',
  ]),
  plant('column-forgets-null', 'columns/column-values.ts', [
    'if (!(columns[i] as BlockColumn).isNull(slot)) continue;',
    'if (i >= 0) continue;',
  ]),
  plant('column-that-a-row-lacks-shows', 'columns/column-values.ts', [
    'if (!isMixed) return columns;',
    'if (isMixed || slot >= 0) return columns;',
  ]),
  plant('offsets-of-a-column-wrap', 'columns/encode-column.ts', [
    'range <= 0xffff ? 2 : 4',
    'range <= 0x1ffff ? 2 : 4',
  ]),
  // The corpus
  corpus('corpus-written-in-two-commits', 'corpus.ts', [
    'if (!(await commitRecords(this.store, puts, deletions))) {',
    'await commitRecords(this.store, puts.slice(1), []);\n    if (!(await commitRecords(this.store, puts.slice(0, 1), deletions))) {',
  ]),
  corpus('corpus-remembers-a-commit-that-failed', 'corpus.ts', [
    '    this.retained = undefined;\n    if (!(await',
    '    if (!(await',
  ]),
  corpus('corpus-program-goes-before-its-last-record', 'retained.ts', [
    '--program.records > 0',
    '--program.records > 1',
  ]),
  corpus('corpus-follows-the-clock-back', 'retained.ts', [
    'return Math.max(nowMs, this.lastMs + 1);',
    'return nowMs;',
  ]),
];

function plant(name: string, file: string, [from, to]: readonly [string, string]): Mutant {
  return { name, file: `src/storage/${file}`, from, to };
}

function corpus(name: string, file: string, [from, to]: readonly [string, string]): Mutant {
  return { name, file: `src/statistics/corpus/${file}`, from, to };
}
