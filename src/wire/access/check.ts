/** Checks of the bodies of requests about API keys. */

import { bodyCheck } from '../check/body.ts';
import type { Definitions } from '../check/json-schema.ts';
import { type KeyRequestBody, type KeyRotateBody, keyDefinitions } from './body.ts';

/** Checks the body of `POST /auth/keys`. */
export const checkKeyRequest: (json: unknown) => KeyRequestBody = bodyCheck(
  'KeyRequest',
  keyDefinitions as Definitions,
);

/** Checks the body of `POST /auth/keys/{key}/rotate`. */
export const checkKeyRotation: (json: unknown) => KeyRotateBody = bodyCheck(
  'KeyRotateRequest',
  keyDefinitions as Definitions,
);
