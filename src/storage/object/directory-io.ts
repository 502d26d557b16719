/**
 * The seam towards the file system: one directory tree, paths relative to its root, `''` for the root itself.
 *
 * Thin on purpose, so that a simulator can own every effect. Whatever the system refuses is thrown as its own error with a
 * `code`; the expected alternatives (exists already, is not there) are answers.
 */

/** `create`: a new file, which must not exist. `write`: an existing one. `log`: an existing one for `writeDurably`. */
export type OpenMode = 'read' | 'create' | 'write' | 'log';

export interface DirectoryIo {
  /** Undefined when there is no such file (`create`: when there is one). */
  open(path: string, mode: OpenMode): IoFile | undefined;
  /** Size in bytes, undefined when there is no such file. */
  sizeOf(path: string): number | undefined;
  /** False when `to` exists. */
  link(from: string, to: string): boolean;
  /** Replaces `to`. */
  rename(from: string, to: string): void;
  /** False when there is no such file. */
  unlink(path: string): boolean;
  /** False when it exists. The parent must exist. */
  makeDirectory(path: string): boolean;
  /** Names of the files and directories in `path`, in no order; a directory's name ends with `/`. Empty when absent. */
  entries(path: string): readonly string[];
  /** Makes the names in `path` durable. */
  syncDirectory(path: string): Promise<void>;
}

export interface IoFile {
  readonly bytes: number;
  /** Whether `path` leads to this very file now, which has not been cut below the length that it was opened with; also after `close`. */
  isAt(path: string): boolean;
  /** Fills `target` from `position` on, at once; less only at the end of the file. */
  read(target: Uint8Array, position: number): number;
  /** Writes all of `source`; not durable. */
  write(source: Uint8Array, position: number): Promise<void>;
  /** Writes all of `source`, durably, into a file opened as `log`. A failure leaves the range undefined for ever. */
  writeDurably(source: Uint8Array, position: number): Promise<void>;
  /** Makes content and size durable. A failure is final: what was written before it may be lost silently. */
  sync(): Promise<void>;
  close(): void;
}
