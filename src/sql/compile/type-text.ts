/** Names of types in messages. */

import { plainTypeText } from '../types/registry.ts';
import { isTyped, type Operand } from './compilation.ts';

export function typeTextOf(operand: Operand): string {
  return isTyped(operand) ? plainTypeText(operand.type) : 'unknown';
}
