/** The flag of commands that change what clients are made of. */

import { Option } from '@commander-js/extra-typings';

export const generateOption = () =>
  new Option('--no-generate', 'leave the generated clients as they are');
