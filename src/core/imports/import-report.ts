/** Counts what an import does, and collects what the person should know. */
import type { ImportFault, ImportReport } from '../../domain/import-report.js';
import type { ImportOptions } from '../../domain/imported-user.js';
import { phoneProvider } from '../../domain/identity.js';
import type { ImportConflict, ImportOutcome, ImportRecord } from '../../storage/import-repository.js';
import { SeenKeys } from './seen-keys.js';

/** Faults in a report. */
const mostFaults = 1_000;
/** Examples in a warning. */
const mostNames = 5;

/** What of the configuration the imported records rely on. */
export interface ImportConfiguration {
  /** Names of the identity providers. */
  identityProviders: ReadonlySet<string>;
  hasPhones: boolean;
  hasPasskeys: boolean;
  acceptsForeignKeys: boolean;
  hasOrgs: boolean;
  hasUsernames: boolean;
}

const messages: Readonly<Record<ImportConflict, string>> = {
  id_taken: 'Another account has this id, or the record repeats one.',
  email_taken:
    'Another account has this address. With `onConflict: "merge"` the record is added to it if the record says that its address is verified.',
  username_taken: 'Another account has this user name.',
  phone_taken: 'Another account has this phone number.',
  identity_taken: 'Another account has this account at an identity provider.',
  passkey_taken: 'Another account has this passkey.',
  api_key_taken: 'Another account has this API key.',
  account_differs:
    'The account with this id has another address or user name, and was left as it is. If the ids are those of another system, import with `externalIdPrefix`.',
  slug_taken: 'Another organization has this slug: the organization got one with a number.',
  roles_kept:
    'The roles of the record were not added, because the account existed. Add them with users.update.',
  block_left_out:
    'The user is blocked in the old system. The account existed and was not blocked. Block it with users.block.',
  metadata_left_out: 'The metadata of the record was not added: the account would have too much of it.',
  phone_unproven:
    'The phone number was not imported: nothing says that it belongs to the user. Set `phoneVerified: true` if the old system has sent a code to it.',
};

export class ImportTally {
  private readonly counts = {
    read: 0,
    created: 0,
    merged: 0,
    renewed: 0,
    unchanged: 0,
    skipped: 0,
    refused: 0,
  };
  private readonly faults: ImportFault[] = [];
  private unverified = 0;
  private readonly missing = new Map<string, number>();
  private readonly ownedOrgs = new SeenKeys();
  private readonly ownerless = new Set<string>();
  private isAborted = false;

  constructor(
    private readonly options: ImportOptions,
    private readonly configured: ImportConfiguration,
  ) {}

  aborted(): void {
    this.isAborted = true;
  }

  refuse(fault: ImportFault): void {
    this.counts.read += 1;
    this.counts.refused += 1;
    this.report(fault);
  }

  /** Counts the outcome of a record. */
  add(index: number, record: ImportRecord, outcome: ImportOutcome): void {
    this.counts.read += 1;
    const externalId = record.user.externalId ?? (record.keepsId ? record.user.id : null);
    if (outcome.status === 'conflict') {
      this.counts.skipped += 1;
      this.report(faultOf(index, externalId, outcome.reason, outcome.field));
      return;
    }
    this.counts[outcome.status] += 1;
    const isWritten = outcome.status === 'created' || outcome.status === 'merged';
    for (const { reason, field } of [...(outcome.partial ?? []), ...(isWritten ? record.leftOut : [])])
      this.report(faultOf(index, externalId, reason, field));
    this.noteOwners(record);
    if (isWritten) this.noteMissing(record);
  }

  snapshot(): ImportReport {
    return { ...this.counts, faults: [...this.faults], warnings: this.warnings() };
  }

  private report(fault: ImportFault): void {
    if (this.options.onFault) this.options.onFault(fault);
    else if (this.faults.length < mostFaults) this.faults.push(fault);
  }

  private noteMissing({ user, identities, credentials, apiKeys, memberships }: ImportRecord): void {
    const { identityProviders, ...configured } = this.configured;
    if (user.email !== null && !user.emailVerified && user.passwordHash !== null) this.unverified += 1;
    const note = (isMissing: boolean, what: string) => {
      if (isMissing) this.missing.set(what, (this.missing.get(what) ?? 0) + 1);
    };
    for (const { provider } of identities) {
      if (provider === phoneProvider)
        note(!configured.hasPhones, 'have a phone number: configure providers.phoneOtp');
      else
        note(
          !identityProviders.has(provider),
          `have an account at the identity provider ${JSON.stringify(provider.slice(0, 100))}, which is not configured: they can use it when a provider of this name is`,
        );
    }
    note(credentials.length > 0 && !configured.hasPasskeys, 'have passkeys: configure providers.webauthn');
    note(
      apiKeys.length > 0 && !configured.acceptsForeignKeys,
      'have API keys: configure providers.apiKeys with `foreign: true`, or no request with one is accepted',
    );
    note(
      memberships.length > 0 && !configured.hasOrgs,
      'are members of organizations: configure providers.orgs',
    );
    note(
      user.username !== null && user.email === null && !configured.hasUsernames,
      'have a user name and no address: set usernames.enabled, or they cannot sign in with it',
    );
  }

  private noteOwners({ memberships }: ImportRecord): void {
    for (const { org, role } of memberships) {
      if (role === 'owner') {
        this.ownedOrgs.add(org.externalId);
        this.ownerless.delete(org.externalId);
      } else if (!this.ownedOrgs.has(org.externalId)) {
        this.ownerless.add(org.externalId);
      }
    }
  }

  private warnings(): string[] {
    const users = (count: number) => (count === 1 ? '1 user' : `${count.toLocaleString('en-US')} users`);
    const unverified = `${users(this.unverified)} with a password and an address that is not verified: the first code or link that is mailed to the address removes the password. If the old system kept no such flag, import with emailVerified: 'trust-all'.`;
    const orgs = [...this.ownerless].slice(0, mostNames).map((id) => JSON.stringify(id));
    const ownerless = `${this.ownerless.size.toLocaleString('en-US')} organizations without an owner, such as ${orgs.join(', ')}: only service.orgs can manage them.`;
    return [
      ...(this.unverified > 0 ? [unverified] : []),
      ...[...this.missing].map(
        ([what, count]) =>
          `${users(count)} ${count === 1 ? what.replace(/^have|^are/, (verb) => (verb === 'have' ? 'has' : 'is')) : what}.`,
      ),
      ...(this.ownerless.size > 0 ? [ownerless] : []),
      ...(this.isAborted ? ['The import was ended by its signal before the last record.'] : []),
    ];
  }
}

export function faultOf(
  index: number,
  externalId: string | null,
  reason: ImportConflict,
  field: string,
): ImportFault {
  return { index, externalId, reason, message: messages[reason], field };
}
