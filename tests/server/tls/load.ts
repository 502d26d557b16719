/** `npm run tls-exchanges`: 20 exchanges of certificates, 20,000 requests. Exit code 1 if a request is lost. */

import { exchangeUnderLoad } from './under-load.ts';

const result = await exchangeUnderLoad(20, 20_000);
console.log(JSON.stringify(result));
process.exit(Object.keys(result.lost).length === 0 ? 0 : 1);
