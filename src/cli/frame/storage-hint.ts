/** Remedies for storage faults. */

import type { StorageFault } from '#storage';

export function storageHint(trouble: StorageFault): string {
  switch (trouble.kind) {
    case 'occupied':
      return 'nothing was changed; --storage-path expects the directory of a store, an empty directory, or a new directory';
    case 'linked':
      return 'nothing was changed; remove the link, and start again; to put spill files on another disk, set --spill-path';
    case 'locked':
      return 'only one server can use a directory: use the running server, stop it, or choose another --storage-path';
    case 'fenced':
      return 'another server has taken this directory over; only one server may write to it';
    case 'corrupt':
    case 'missing':
      return 'nothing was changed; restore the directory from a backup, or check the disk; `svc doctor store` lists everything that is damaged or missing';
    case 'vanished':
      return vanishedHint(trouble.object);
    case 'foreign':
      return 'nothing was removed; to return to the earlier database, restore the whole directory from one copy; to keep the later one, move this file elsewhere';
    case 'format':
      return 'open the directory with the version of svc that wrote it, or a newer one';
    case 'full':
      return 'free space on the device and start again; no acknowledged commit is lost';
    case 'io':
      return 'check that --storage-path is a directory and that this process may write to it';
    case 'unavailable':
      return 'check --s3-endpoint, and that it is reachable from this machine';
    case 'unauthorized':
      return 'check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and their permissions, --s3-region, and the clock of this machine';
    case 'bucket_missing':
      return 'create it, or choose another --s3-bucket, --s3-region or --s3-endpoint';
    case 'empty':
      return 'start a writer on this storage location';
    case 'expired':
    case 'replaced':
      return 'restart this reader';
    case 'unfit':
      return '`svc doctor store` shows which requirements the storage location does not meet';
  }
}

/** Returns the remedy for a missing object. An epoch claim contains no data, so it can be restored. Any other missing object is lost. */
function vanishedHint(object: string): string {
  if (object.startsWith('epoch/')) {
    return 'nothing was changed; `svc doctor store --restore-claims` restores it if nothing else is missing; otherwise restore the directory from a backup';
  }
  return 'nothing was changed; restore the missing object from a backup, or check the disk; `svc doctor store` lists everything that is damaged or missing';
}
