/** The file of the audit log, which starts again at a size. The former files have the suffixes `.1` to `.9`, the newest first. */

import type { AuditTarget } from './audit-log.ts';

export interface AuditHandle {
  readonly size: number;
  /** Whether the last line is incomplete. */
  readonly isTorn: boolean;
  /** Returns the number of written bytes. */
  write(bytes: Uint8Array): number;
  sync(): void;
  close(): void;
}

export interface AuditFiles {
  /** Opens a file for appending, or creates it for its owner only. Refuses symbolic links and other kinds of files. */
  open(path: string): AuditHandle;
  exists(path: string): boolean;
  /** Replaces the file of the new name. */
  rename(from: string, to: string): void;
}

const bytesMax = 100 << 20;
const formerFiles = 9;

export class RotatingFile implements AuditTarget {
  private readonly path: string;
  private readonly files: AuditFiles;
  private readonly bytesMax: number;
  private handle: AuditHandle;
  private size: number;
  private isTorn: boolean;

  /** Throws if the file cannot be opened. */
  constructor(path: string, files: AuditFiles, maxBytes = bytesMax) {
    this.path = path;
    this.files = files;
    this.bytesMax = maxBytes;
    this.handle = files.open(path);
    this.size = this.handle.size;
    this.isTorn = this.handle.isTorn;
  }

  append(text: string): void {
    const bytes = Buffer.from(text);
    if (this.size > 0 && this.size + bytes.length > this.bytesMax) this.rotate();
    // An incomplete line becomes a line, so that the next one is complete.
    const whole = this.isTorn ? Buffer.concat([Buffer.from('\n'), bytes]) : bytes;
    let written = 0;
    try {
      while (written < whole.length) {
        const count = this.handle.write(whole.subarray(written));
        if (count === 0) throw new Error('the file cannot grow');
        written += count;
      }
    } finally {
      this.size += written;
      if (written > 0) this.isTorn = whole[written - 1] !== 0x0a;
    }
  }

  sync(): void {
    this.handle.sync();
  }

  reopen(): void {
    this.use(this.files.open(this.path));
  }

  close(): void {
    this.handle.close();
  }

  private rotate(): void {
    for (let i = formerFiles - 1; i >= 0; i--) {
      const from = i === 0 ? this.path : `${this.path}.${i}`;
      if (this.files.exists(from)) this.files.rename(from, `${this.path}.${i + 1}`);
    }
    this.use(this.files.open(this.path));
  }

  private use(handle: AuditHandle): void {
    this.handle.close();
    this.handle = handle;
    this.size = handle.size;
    this.isTorn = handle.isTorn;
  }
}
