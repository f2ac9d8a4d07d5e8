/**
 * Writes the generated parts of docs/http-api.md and docs/programmatic-api.md: `npm run docs -- reference`. The routes come from
 * the tables of the routers and the OpenAPI document, the API from the types and docstrings of the entry points, so that a
 * reader of the pages and of hovers reads the same sentences. With `--check` it writes nothing and fails if a page is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { httpApiParts } from './reference/http-api.js';
import { programmaticApiParts } from './reference/programmatic-api.js';

const repository = fileURLToPath(new URL('..', import.meta.url));

const pages = { 'docs/http-api.md': httpApiParts, 'docs/programmatic-api.md': programmaticApiParts };

/** Returns the page with its generated parts, each between `<!-- generated: name -->` and `<!-- /generated -->`. */
function withParts(page: string, parts: Record<string, string>): string {
  const unused = new Set(Object.keys(parts));
  const written = page.replace(
    /<!-- generated: ([\w-]+) -->\n[^]*?<!-- \/generated -->/g,
    (_match, name: string) => {
      const part = parts[name];
      if (part === undefined) throw new Error(`there is no generated part ${name}`);
      unused.delete(name);
      return `<!-- generated: ${name} -->\n\n${part}\n\n<!-- /generated -->`;
    },
  );
  if (unused.size > 0) throw new Error(`the page has no place for ${[...unused].join(', ')}`);
  return written;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, partsOf] of Object.entries(pages)) {
    const page = readFileSync(path.join(repository, file), 'utf8');
    const written = withParts(page, partsOf());
    if (!process.argv.includes('--check')) writeFileSync(path.join(repository, file), written);
    else if (written !== page) {
      console.error(`${file} is out of date: run \`npm run docs -- reference\`.`);
      process.exitCode = 1;
    }
  }
}
