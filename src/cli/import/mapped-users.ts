/** Yields the users of a source, and counts what they have on the way. */
import type { ImportFault } from '../../domain/import-report.js';
import type { ImportedUser } from '../../domain/imported-user.js';
import { nameOfFormat } from './hash-formats.js';
import { importedUser } from './map-user.js';
import type { FieldRules, MapContext, SourceRecord } from './source.js';

/** How many users have what. */
export class Counts {
  users = 0;
  addresses = 0;
  verified = 0;
  phones = 0;
  verifiedPhones = 0;
  /** Records that could not be read. */
  unreadable = 0;
  readonly hashes = new Map<string, number>();
  readonly identities = new Map<string, number>();
  readonly roles = new Map<string, number>();
  readonly omitted = new Map<string, number>();
  readonly others = new Map<string, number>();

  add(user: ImportedUser): void {
    this.users++;
    if (user.email) this.addresses++;
    if (user.email && user.emailVerified === true) this.verified++;
    if (user.phone) this.phones++;
    if (user.phone && user.phoneVerified === true) this.verifiedPhones++;
    if (user.passwordHash) count(this.hashes, nameOfFormat(user.passwordHash));
    for (const { provider } of user.identities ?? []) count(this.identities, provider);
    for (const role of user.roles ?? []) count(this.roles, role);
    for (const [what, value] of Object.entries(this.amounts(user)))
      if (value > 0) count(this.others, what, value);
  }

  private amounts({ apiKeys, blocked, memberships, passkeys, totp, username }: ImportedUser) {
    return {
      'user names': username ? 1 : 0,
      'authenticator apps': totp ? 1 : 0,
      passkeys: passkeys?.length ?? 0,
      'API keys': apiKeys?.length ?? 0,
      'memberships of organizations': memberships?.length ?? 0,
      'blocked users': blocked ? 1 : 0,
    };
  }
}

/** A hostile file has any number of names. */
const mostNames = 200;

function count(counts: Map<string, number>, name: string, amount = 1): void {
  const key = counts.has(name) || counts.size < mostNames ? name : 'others';
  counts.set(key, (counts.get(key) ?? 0) + amount);
}

/** More than there can be in two batches. */
const recentPlaces = 16_384;

export interface PlacedFault extends ImportFault {
  /** A line of the file, or a row of the table. */
  place: string;
}

/** One pass over a source. */
export class MappedUsers {
  readonly counts = new Counts();
  private readonly places: string[] = [];
  private yielded = 0;

  constructor(
    private readonly records: () => AsyncIterable<SourceRecord>,
    private readonly rules: FieldRules,
    private readonly tools: Omit<MapContext, 'omit'>,
    private readonly onFault: (fault: PlacedFault) => void,
    private readonly limit: number,
  ) {}

  async *users(): AsyncGenerator<ImportedUser> {
    const context: MapContext = { ...this.tools, omit: (what) => count(this.counts.omitted, what) };
    if (this.limit === 0) return;
    for await (const record of this.records()) {
      if ('fault' in record) {
        this.counts.unreadable++;
        this.onFault({ index: this.yielded, externalId: null, place: record.place, ...record.fault });
        continue;
      }
      const user = importedUser(this.rules, record.row, context);
      this.counts.add(user);
      this.places[this.yielded % recentPlaces] = record.place;
      this.yielded++;
      yield user;
      if (this.yielded >= this.limit) return;
    }
  }

  /** Adds to a fault of the import where its record is. */
  placed(fault: ImportFault): PlacedFault {
    const isRecent = fault.index > this.yielded - recentPlaces;
    const place = isRecent ? this.places[fault.index % recentPlaces] : undefined;
    return { ...fault, place: place ?? `record ${fault.index + 1}` };
  }
}
