/** Fails while the repository contains a placeholder: `npm run release:check` (RELEASING.md). */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLicense, type License } from '../src/crypto/license-token.js';
import { unreadTranslations } from './translations.js';
import { communityLicense, vendorPublicKey } from '../src/engine/vendor-key.js';

/**
 * The public key of this repository, whose private key does not exist any more. Licenses for the released package need the
 * vendor's own key pair.
 */
const repositoryKey = 'MCowBQYDK2VwAyEAttgEMpnkgmAVjCkclwL2fM7wcyPi5lsbQf56YE9lVd0=';

/** The fields of package.json that a release depends on. */
export interface Manifest {
  version: string;
  homepage?: unknown;
  bugs?: unknown;
  repository?: unknown;
}

export interface ReleaseState {
  manifest: Manifest;
  changelog: string;
  publicKey: string;
  communityLicense: string;
  /** `git status --porcelain`. */
  workingTree: string;
  /** The languages with sentences that remain to be read. */
  unreadLanguages: readonly string[];
}

/** Returns what is missing for a release, one sentence each. */
export function releaseFaults({
  manifest,
  changelog,
  publicKey,
  communityLicense: license,
  workingTree,
  unreadLanguages,
}: ReleaseState): string[] {
  const { version } = manifest;
  const links = ['homepage', 'bugs', 'repository'] as const;
  const dated = new RegExp(`^## ${version.replaceAll('.', '\\.')} - \\d{4}-\\d{2}-\\d{2}$`, 'm');
  return [
    ...links
      .filter((name) => !isWebAddress(manifest[name]))
      .map((name) => `package.json: set "${name}" to the address of your repository.`),
    ...(dated.test(changelog) ? [] : [`CHANGELOG.md: add a section "## ${version} - <date>".`]),
    ...(publicKey.includes(repositoryKey)
      ? ['src/engine/vendor-key.ts: replace the public key and the community license with yours.']
      : []),
    ...(isForever(openLicense(license, publicKey))
      ? []
      : [
          'src/engine/vendor-key.ts: sign the community license with the private key of the public key, without expiry.',
        ]),
    ...(unreadLanguages.length === 0
      ? []
      : [`Read the translations that scripts/translations.ts lists: ${unreadLanguages.join(', ')}.`]),
    ...(workingTree === '' ? [] : ['The working tree has changes: commit them first.']),
  ];
}

const isForever = (license: License | null) => license !== null && license.expiresAt === undefined;

/** A string, or an object with a `url`, that is an https URL and whose host is not reserved for examples (RFC 2606). */
function isWebAddress(value: unknown): boolean {
  const address =
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>)['url'] : value;
  if (typeof address !== 'string') return false;
  const plain = address.replace(/^git\+/, '');
  if (!URL.canParse(plain)) return false;
  const { protocol, hostname } = new URL(plain);
  return protocol === 'https:' && !/(^|\.)(example(\.\w+)?|test|invalid|localhost)$/.test(hostname);
}

function readState(): ReleaseState {
  const repository = fileURLToPath(new URL('..', import.meta.url));
  const read = (file: string) => readFileSync(path.join(repository, file), 'utf8');
  return {
    manifest: JSON.parse(read('package.json')) as Manifest,
    changelog: read('CHANGELOG.md'),
    publicKey: vendorPublicKey,
    communityLicense,
    unreadLanguages: unreadTranslations().map(([language]) => language),
    workingTree: execFileSync('git', ['status', '--porcelain'], { cwd: repository, encoding: 'utf8' }),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = releaseFaults(readState());
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
  else console.log('Ready to release.');
}
