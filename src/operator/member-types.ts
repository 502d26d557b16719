/** Types of members of the resource, in the form that the API server accepts. */

import { Type } from '@sinclair/typebox';

export const text = (description: string, options = {}) =>
  Type.String({ description, minLength: 1, ...options });
export const choice = (description: string, choices: readonly string[], otherwise?: string) =>
  Type.String({
    description,
    enum: choices,
    ...(otherwise === undefined ? {} : { default: otherwise }),
  });
export const count = (description: string, minimum: number, maximum: number, otherwise: number) =>
  Type.Integer({ description, minimum, maximum, default: otherwise });
