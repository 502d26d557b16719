/**
 * The interface to the file system: one directory tree, with paths relative to its root and `''`
 * for the root itself.
 *
 * It is small, so that a simulator can control every effect. Errors of the operating system are
 * thrown unchanged, with a `code`. Expected outcomes (the file exists already, or does not exist)
 * are return values.
 */

/**
 * `create`: a new file, which must not exist. `write`: an existing file. `log`: an existing file
 * for `writeDurably`.
 */
export type OpenMode = 'read' | 'create' | 'write' | 'log';

export interface DirectoryIo {
  /** Opens a file. Returns `undefined` if it does not exist, or, for `create`, if it exists. */
  open(path: string, mode: OpenMode): IoFile | undefined;
  /** Returns the size in bytes; `undefined` if the file does not exist. */
  sizeOf(path: string): number | undefined;
  /** Gives the file `from` the second name `to`. Returns false if `to` exists. */
  link(from: string, to: string): boolean;
  /** Renames a file, and replaces `to` if it exists. */
  rename(from: string, to: string): void;
  /**
   * Removes a name. Returns false if it does not exist. If a large file may lose its last name, call
   * `remove` instead.
   */
  unlink(path: string): boolean;
  /**
   * Removes a name in the background: its file system takes about 80 ms per GB to free the space of
   * a file, and longer while the content is being written to the disk.
   */
  remove(path: string): Promise<boolean>;
  /** Creates a directory, whose parent must exist. Returns false if it exists already. */
  makeDirectory(path: string): boolean;
  /**
   * Returns the names of the files and directories in `path`, unordered. The name of a directory
   * ends with `/`. Returns an empty list if `path` does not exist.
   */
  entries(path: string): readonly string[];
  /** Makes the names in `path` durable. */
  syncDirectory(path: string): Promise<void>;
}

export interface IoFile {
  readonly bytes: number;
  /**
   * Returns true if `path` leads to this same file now, and the file is not shorter than when it
   * was opened. The call is allowed after `close`.
   */
  isAt(path: string): boolean;
  /**
   * Fills `target` from `position` on, synchronously. Returns the number of bytes, which is less
   * than the length only at the end of the file.
   */
  read(target: Uint8Array, position: number): number;
  /** Writes all of `source`, not durably. */
  write(source: Uint8Array, position: number): Promise<void>;
  /**
   * Writes all of `source` durably into a file opened as `log`. After a failure, the content of the
   * range is permanently undefined.
   */
  writeDurably(source: Uint8Array, position: number): Promise<void>;
  /** Makes content and size durable. A failure is final: earlier writes may be lost silently. */
  sync(): Promise<void>;
  close(): void;
  /**
   * Closes a file that has no name, in the background, because this frees its space. Calls `closed`
   * when the space is free.
   */
  discard(closed: () => void): void;
}
