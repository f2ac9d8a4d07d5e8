/** Writes docs/openapi.json: `npm run docs -- openapi`. A test fails when the file is out of date. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openapiDocument } from '../src/http/openapi/document.js';

const repository = fileURLToPath(new URL('..', import.meta.url));
export const openapiFile = path.join(repository, 'docs/openapi.json');

export function generateOpenapi(): string {
  const { version } = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8')) as {
    version: string;
  };
  return `${JSON.stringify(openapiDocument({ version }), null, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(openapiFile, generateOpenapi());
