/** What the system says against a file or a directory, in words instead of its code. */

const words: Readonly<Record<string, string>> = {
  EACCES: 'the system does not permit it',
  EPERM: 'the system does not permit it',
  EROFS: 'the file system is read-only',
  ENOENT: 'a directory on the way is not there, or cannot be made',
  ENOSPC: 'the device is full',
  EDQUOT: 'the quota is used up',
  ENOTDIR: 'something on the way is no directory',
  EEXIST: 'something on the way is no directory',
  EISDIR: 'it is a directory',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'the name is too long',
};

/** `EIO: i/o error, open '/a/b'` */
const systemForm = /^E[A-Z0-9]+: (.*?), [a-z]+(?: '.*')?$/;

export function systemReason(error: unknown): string {
  const { code = '', message } = error as { code?: string; message: string };
  return words[code] ?? message.replace(systemForm, '$1');
}
