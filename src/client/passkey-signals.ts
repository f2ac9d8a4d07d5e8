/**
 * Keeps the passkeys of the browser up to date (WebAuthn Level 3, 5.1.10): a removed one is no longer offered, and an old name no longer
 * shown. A browser can delete a passkey for good, so each signal follows a response of the service that is certain, and no refusal.
 */
import type { PasskeySignals } from './responses.js';
import type { Send } from './transport.js';

interface SignalApi {
  signalUnknownCredential?: (options: { rpId: string; credentialId: string }) => Promise<void>;
  signalAllAcceptedCredentials?: (options: {
    rpId: string;
    userId: string;
    allAcceptedCredentialIds: readonly string[];
  }) => Promise<void>;
  signalCurrentUserDetails?: (options: {
    rpId: string;
    userId: string;
    name: string;
    displayName: string;
  }) => Promise<void>;
}

interface Locks {
  request<Result>(
    name: string,
    options: { mode?: 'shared' | 'exclusive'; ifAvailable?: boolean },
    run: (lock: object | null) => Promise<Result>,
  ): Promise<Result>;
}

/** Also in the script of the pages. */
const lockName = 'svc-auth passkeys';
const patienceMs = 5000;

export type PasskeySignaler = ReturnType<typeof passkeySignaler>;

/** None of its methods rejects: a signal changes nothing for the service. */
export function passkeySignaler(send: Send) {
  /**
   * Signals what the service returns for the signed-in user. Returns whether it did.
   * @param removed the id of a passkey that the service has just removed. An imported one is not among those of the user handle: it has
   * that of another system.
   */
  async function sync(removed?: string): Promise<boolean> {
    const api = signalApi();
    if (!api?.signalAllAcceptedCredentials && !api?.signalCurrentUserDetails) return false;
    return signaling(async (isLate) => {
      const { rpId, userId, credentialIds, name, displayName } = await send<PasskeySignals>(
        'GET',
        '/passkeys/signals',
      );
      if (isLate()) return;
      if (Array.isArray(credentialIds))
        await api.signalAllAcceptedCredentials?.({ rpId, userId, allAcceptedCredentialIds: credentialIds });
      if (removed !== undefined && typeof rpId === 'string' && credentialIds?.includes(removed) !== true)
        await api.signalUnknownCredential?.({ rpId, credentialId: removed });
      if (typeof name === 'string') await api.signalCurrentUserDetails?.({ rpId, userId, name, displayName });
    });
  }

  return {
    sync,
    /** Makes a change, then signals. @param removed as for `sync`. */
    async after<Result>(change: Promise<Result>, removed?: string): Promise<Result> {
      const result = await change;
      await sync(removed);
      return result;
    },
    /** After the service has deleted an account. */
    async deleted(passkeys: { rpId: string; userId: string } | undefined): Promise<void> {
      if (!passkeys) return;
      const { rpId, userId } = passkeys;
      await signaling(async () =>
        signalApi()?.signalAllAcceptedCredentials?.({ rpId, userId, allAcceptedCredentialIds: [] }),
      );
    },
    /** After the service has said that no user has the passkey. */
    async unknown(rpId: string | undefined, credentialId: string): Promise<void> {
      if (rpId === undefined) return;
      await signaling(async () => signalApi()?.signalUnknownCredential?.({ rpId, credentialId }));
    },
  };
}

/**
 * Runs while no page of this site creates a passkey, and does nothing otherwise: a list that was read before the service had stored the new
 * one would delete it.
 */
async function signaling(signal: (isLate: () => boolean) => Promise<unknown>): Promise<boolean> {
  const run = async (lock: object | null) => {
    return lock !== null && (await settlesWithin(signal));
  };
  try {
    const locks = locksOf();
    return await (locks ? locks.request(lockName, { ifAvailable: true }, run) : run({}));
  } catch {
    // The browser refuses the domain, or the service could not be reached.
    return false;
  }
}

/** Keeps signals waiting until a new passkey is stored, or refused. */
export async function whileCreating<Result>(run: () => Promise<Result>): Promise<Result> {
  const locks = locksOf();
  return locks ? locks.request(lockName, { mode: 'shared' }, run) : run();
}

/** Returns whether it has settled in time. A response that never comes must not keep other pages from creating a passkey. */
async function settlesWithin(work: (isLate: () => boolean) => Promise<unknown>): Promise<boolean> {
  let isLate = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise((resolve) => (timer = setTimeout(resolve, patienceMs)));
  try {
    await Promise.race([work(() => isLate), end.then(() => (isLate = true))]);
    return !isLate;
  } finally {
    clearTimeout(timer);
  }
}

function signalApi(): SignalApi | undefined {
  return (globalThis as { PublicKeyCredential?: SignalApi }).PublicKeyCredential;
}

function locksOf(): Locks | undefined {
  return (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks;
}
