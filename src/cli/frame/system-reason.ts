/** Reasons why the operating system rejects an operation on a file or a directory, in words instead of an error code. */

const words: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'a parent directory does not exist or cannot be created',
  ENOSPC: 'the device is full',
  EDQUOT: 'the disk quota is exceeded',
  ENOTDIR: 'a component of the path is not a directory',
  EEXIST: 'a component of the path is not a directory',
  EISDIR: 'it is a directory',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'the name is too long',
};

/** Matches a message such as `EIO: i/o error, open '/a/b'`. */
const systemForm = /^E[A-Z0-9]+: (.*?), [a-z]+(?: '.*')?$/;

export function systemReason(error: unknown): string {
  const { code = '', message } = error as { code?: string; message: string };
  return words[code] ?? message.replace(systemForm, '$1');
}
