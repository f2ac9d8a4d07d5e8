/** What `createService` refuses, as findings: for a command that is run because the application does not start. */
import type { ConfigError } from '../../errors/catalog.js';
import { type ConfigFault } from '../../errors/catalog.js';
import type { Family, Found } from './finding.js';

export const configuration: Family = {
  kinds: {
    check_incomplete: { severity: 'warning', why: 'What the check would have found is unknown.' },
    configuration_invalid: {
      severity: 'error',
      why: 'createService() refuses it, so the application does not start.',
    },
    cookie_refused: {
      severity: 'error',
      why: 'Browsers drop such a cookie, so no one could sign in. createService() refuses it.',
    },
    passkey_refused: {
      severity: 'error',
      why: 'Browsers refuse every passkey with these values. createService() refuses them.',
    },
  },
  checks: {},
};

/** Returns the faults of a configuration that was refused. */
export function foundIn(error: ConfigError): Found[] {
  return error.faults.map((fault) => ({
    id: idOf(fault),
    title: `${fault.path} ${fault.message}`,
    fix: `Change ${fault.path}.`,
  }));
}

function idOf({ path, message }: ConfigFault): string {
  if (path.startsWith('session.cookie')) return 'cookie_refused';
  if (path.startsWith('providers.webauthn')) return 'passkey_refused';
  if (/^(?:session\.secret|encryptionKey|previousEncryptionKeys)/.test(path)) {
    if (message.includes('session secret')) return 'secret_shared';
    if (message.includes('32 bytes')) return 'secret_weak';
  }
  return 'configuration_invalid';
}
