/** What to do about trouble with the place of a store. */

import type { StorageTrouble } from '#storage';

export function storageHint(trouble: StorageTrouble): string {
  switch (trouble.kind) {
    case 'occupied':
      return 'nothing was changed: name the directory of a store, an empty one, or one that is not there yet, with --storage-path';
    case 'locked':
      return 'one server a directory: use the one that runs, stop it, or choose another --storage-path';
    case 'fenced':
      return 'another server has taken this directory over; only one may write to it';
    case 'corrupt':
    case 'missing':
      return 'nothing was changed: restore the directory from a backup, or look at the disk; `svc doctor store` says what else is damaged or missing';
    case 'vanished':
      return vanishedHint(trouble.object);
    case 'foreign':
      return 'nothing was removed: to have the earlier database back, restore the whole directory from one copy; to keep the later one, move this file elsewhere';
    case 'format':
      return 'open the directory with the version of svc that wrote it, or a newer one';
    case 'full':
      return 'make room on the device, then start again; everything acknowledged is kept';
    case 'io':
      return 'is --storage-path a directory that this process may write to?';
    case 'unavailable':
      return 'is --s3-endpoint right, and does it answer from here?';
    case 'unauthorized':
      return 'check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and what they may do, --s3-region, and this machine’s clock';
    case 'bucket_missing':
      return 'create it, or choose another --s3-bucket, --s3-region or --s3-endpoint';
    case 'empty':
      return 'start a writer there';
    case 'expired':
    case 'replaced':
      return 'start this reader again';
    case 'unfit':
      return '`svc doctor store` says what it does and does not do';
  }
}

/** A claim holds nothing that is read, so it can be made again; what else is gone is gone. */
function vanishedHint(object: string): string {
  if (object.startsWith('epoch/')) {
    return 'nothing was changed: `svc doctor store --restore-claims` makes it again if nothing else is missing; otherwise restore the directory from a backup';
  }
  return 'nothing was changed: restore what is missing from a backup, or look at the disk; `svc doctor store` says what else is damaged or missing';
}
