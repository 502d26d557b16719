/**
 * Bytes of a manifest in a bucket (docs/storage-format.md, "Manifest object"): a nonce, the
 * position at which the log continues, and the manifest.
 */

import { crc32 } from '#base';
import { getNumber, setNumber } from '../log/record.ts';
import { bucketManifestName } from '../object/names.ts';
import { StorageError } from '../object/storage-fault.ts';
import { corruptManifest, decodeManifest, encodeManifest } from './encoding.ts';
import type { Manifest } from './manifest.ts';

export interface ManifestObject {
  readonly manifest: Manifest;
  /** Log objects up to this id contain no record above the boundary of the manifest. */
  readonly logBoundary: number;
}

const magic = Buffer.from('svc-bkt\n');
const version = 1;
const headerBytes = 40;

/** Encodes a manifest object. `nonce` must consist of 16 bytes that no other object has. */
export function encodeManifestObject(object: ManifestObject, nonce: Uint8Array): Uint8Array {
  const manifest = encodeManifest(object.manifest);
  const bytes = new Uint8Array(headerBytes + manifest.length);
  const view = new DataView(bytes.buffer);
  bytes.set(magic);
  view.setUint32(8, version, true);
  bytes.set(nonce, 16);
  setNumber(view, 32, object.logBoundary);
  bytes.set(manifest, headerBytes);
  view.setUint32(12, crc32(bytes.subarray(16)), true);
  return bytes;
}

/** Decodes a manifest object. Throws `corrupt` or `format`, which name the object. */
export function decodeManifestObject(bytes: Uint8Array, name: string): ManifestObject {
  if (bytes.length < headerBytes || !magic.equals(bytes.subarray(0, magic.length))) {
    throw corruptManifest(name, 'it is not a manifest of a bucket');
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const found = view.getUint32(8, true);
  if (view.getUint32(12, true) !== crc32(bytes.subarray(16))) {
    throw corruptManifest(name, 'its checksum does not match');
  }
  if (found !== version) {
    throw new StorageError({ kind: 'format', object: name, version: found });
  }
  const manifest = decodeManifest(bytes.subarray(headerBytes), name);
  if (bucketManifestName(manifest.number) !== name) {
    throw corruptManifest(name, 'it contains the number of another manifest');
  }
  return { manifest, logBoundary: getNumber(view, 32) };
}
