/** The hash configuration of a project of Firebase, as its console shows it, or as JSON with the same names. */
import { readFileSync } from 'node:fs';
import type { FirebaseOptions } from '../../core/passwords/foreign/keyed-hashers.js';
import { UsageError } from '../arguments.js';

/** @throws UsageError, which does not repeat the file: it has a key. */
export function readFirebaseConfig(file: string): FirebaseOptions {
  const text = contentOf(file);
  const value = (name: string) => new RegExp(`\\b${name}"?\\s*[:=]\\s*"?([\\w+/=-]+)`).exec(text)?.[1];
  const signerKey = value('base64_signer_key');
  const [saltSeparator, rounds, memCost] = [
    value('base64_salt_separator'),
    value('rounds'),
    value('mem_cost'),
  ];
  if (signerKey === undefined || !/\bSCRYPT\b/.test(text))
    throw new UsageError(
      '--firebase-config must be the hash_config of the console, with the algorithm SCRYPT and base64_signer_key.',
    );
  return {
    signerKey,
    ...(saltSeparator !== undefined && { saltSeparator }),
    ...(rounds !== undefined && { rounds: Number(rounds) }),
    ...(memCost !== undefined && { memCost: Number(memCost) }),
  };
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new UsageError('The file of --firebase-config cannot be read.');
  }
}
