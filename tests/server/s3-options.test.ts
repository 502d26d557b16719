/** `--storage s3` and what it needs (docs/cli.md). */

import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RefusedOption, readConfiguration } from '#server';

const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
const flags = { storage: 's3', 's3-bucket': 'data', 's3-region': 'eu-central-1' };
const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' };

const bucketOf = (given: Record<string, string>, env: Record<string, string> = keys) =>
  readConfiguration(given, env).s3;

test('what a bucket needs, and what it gets by itself', () => {
  expect(bucketOf(flags)).toEqual({
    bucket: 'data',
    prefix: 'svc',
    region: 'eu-central-1',
    endpoint: undefined,
    credentials,
  });
});

test('every flag and every variable counts', () => {
  const wanted = {
    bucket: 'data',
    prefix: 'a/b',
    region: 'here',
    endpoint: 'http://localhost:1',
    credentials: { ...credentials, sessionToken: 'token' },
  };
  const env = { ...keys, AWS_SESSION_TOKEN: 'token' };
  const given = {
    storage: 's3',
    's3-bucket': 'data',
    's3-prefix': '/a/b/',
    's3-region': 'here',
    's3-endpoint': 'http://localhost:1/',
  };
  expect(bucketOf(given, env)).toEqual(wanted);
  const variables = {
    SVC_STORAGE: 's3',
    SVC_S3_BUCKET: 'data',
    SVC_S3_PREFIX: 'a/b',
    SVC_S3_REGION: 'here',
    SVC_S3_ENDPOINT: 'http://localhost:1',
  };
  expect(bucketOf({}, { ...env, ...variables })).toEqual(wanted);
  const usual = { AWS_REGION: 'here', AWS_ENDPOINT_URL_S3: 'http://localhost:1' };
  const short = { storage: 's3', 's3-bucket': 'data', 'storage-path': 'a/b' };
  expect(bucketOf(short, { ...env, ...usual })).toEqual(wanted);
});

test('a server of one’s own needs no region, and the prefix may be empty', () => {
  const own = { storage: 's3', 's3-bucket': 'data', 's3-endpoint': 'http://localhost:1' };
  expect(bucketOf({ ...own, 's3-prefix': '' })).toMatchObject({ region: 'us-east-1', prefix: '' });
});

test('keys of one family are not mixed with the token of another', () => {
  const env = { ...keys, AWS_SESSION_TOKEN: 'token', S3_ACCESS_KEY_ID: 'a' };
  expect(bucketOf(flags, { ...env, S3_SECRET_ACCESS_KEY: 'b' })?.credentials).toEqual({
    accessKeyId: 'a',
    secretAccessKey: 'b',
  });
  expect(() => bucketOf(flags, env)).toThrow('S3_SECRET_ACCESS_KEY is not set');
});

test('plain HTTP beyond this machine has to be said', () => {
  const plain = { ...flags, 's3-endpoint': 'http://minio:9000' };
  expect(bucketOf({ ...plain, 's3-insecure': 'true' })?.endpoint).toBe('http://minio:9000');
  for (const endpoint of ['https://minio:9000', 'http://127.0.0.2:1', 'http://[::1]:1'])
    expect(bucketOf({ ...flags, 's3-endpoint': endpoint })?.endpoint).toBe(endpoint);
});

describe('a file with credentials', () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-credentials-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const written = (text: string, mode = 0o600) => {
    const path = join(directory, 'credentials');
    writeFileSync(path, text);
    chmodSync(path, mode);
    return { ...flags, 's3-credentials-file': path };
  };
  const complete = '[default]\naws_access_key_id = id\naws_secret_access_key=secret\n';
  const other = '[other]\naws_access_key_id=o\naws_secret_access_key=p\naws_session_token=t\n';

  test('replaces the variables', () => {
    const given = written(complete + other);
    expect(bucketOf(given, keys)).toMatchObject({
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      credentialsFile: { path: given['s3-credentials-file'], profile: 'default' },
    });
    expect(bucketOf(given, { AWS_PROFILE: 'other' })?.credentials).toEqual({
      accessKeyId: 'o',
      secretAccessKey: 'p',
      sessionToken: 't',
    });
  });

  test('is refused if it is incomplete or readable by other users', () => {
    expect(() => bucketOf(written(complete, 0o644))).toThrow('chmod 600');
    expect(() => bucketOf(written(other))).toThrow('section [default] has no aws_access_key_id');
    expect(() => bucketOf(written(complete.slice(0, 40)))).toThrow('aws_secret_access_key');
  });
});

describe('refused', () => {
  const cases: readonly (readonly [
    given: Record<string, string>,
    env: Record<string, string>,
    message: string,
  ])[] = [
    [{ storage: 's3' }, keys, '--s3-bucket is not set: expected the name of a bucket'],
    [{ ...flags, 's3-bucket': 'x' }, keys, '--s3-bucket is "x": expected the name'],
    [{ ...flags, 's3-bucket': 'a/b' }, keys, '--s3-bucket is "a/b"'],
    [
      { ...flags, 's3-bucket': 'B_AD' },
      keys,
      '--s3-bucket is "B_AD": expected the name of a bucket',
    ],
    [{ ...flags, 's3-prefix': 'a//b' }, keys, '--s3-prefix is "a//b": expected a prefix'],
    [{ ...flags, 's3-prefix': '../b' }, keys, '--s3-prefix is "../b"'],
    [{ ...flags, 'storage-path': './b' }, keys, '--storage-path is "./b": expected a prefix'],
    [
      { ...flags, 's3-endpoint': 'localhost' },
      keys,
      '--s3-endpoint is "localhost": expected a URL',
    ],
    [{ ...flags, 's3-endpoint': 'ftp://x' }, keys, '--s3-endpoint is "ftp://x"'],
    [{ ...flags, 's3-endpoint': 'http://u:p@x' }, keys, '--s3-endpoint is "http://u:p@x"'],
    [
      { ...flags, 's3-endpoint': 'http://minio:9000' },
      keys,
      '--s3-endpoint is "http://minio:9000": expected an https:// URL, or --s3-insecure',
    ],
    [{ ...flags, 's3-credentials-file': '/nowhere' }, {}, '--s3-credentials-file is "/nowhere"'],
    [{ ...flags, 's3-region': 'Über all' }, keys, '--s3-region is "Über all"'],
    [{ storage: 's3', 's3-bucket': 'data' }, keys, '--s3-region is not set: expected the region'],
    [flags, { ...keys, AWS_ENDPOINT_URL: 'x' }, 'AWS_ENDPOINT_URL is "x"'],
    [flags, {}, 'AWS_ACCESS_KEY_ID is not set: expected the ID of an access key, for --storage s3'],
    [flags, { AWS_ACCESS_KEY_ID: 'id' }, 'AWS_SECRET_ACCESS_KEY is not set'],
    [{ 's3-bucket': 'data' }, keys, '--s3-bucket is "data": expected only with --storage s3'],
  ];
  for (const [given, env, message] of cases) {
    test(message, () => {
      expect(() => readConfiguration(given, env)).toThrow(message);
      expect(() => readConfiguration(given, env)).toThrow(RefusedOption);
    });
  }
});
