/** `svc-auth import`: reads the users of another system, shows what it will do, does it and reports. */
import type { ImportReport } from '../../domain/import-report.js';
import type { Service } from '../../engine/service.js';
import { isServiceError } from '../../errors/service-error.js';
import { Arguments, describeOptions } from '../arguments.js';
import { asking, Report } from '../command.js';
import { readEnvFile } from '../env-file.js';
import { withService } from '../open-service.js';
import { CanceledError } from '../terminal.js';
import { guarded, printHelp, type Surroundings } from '../run.js';
import { providersOf } from './column-map.js';
import { CompanionFile } from './companion-file.js';
import { FaultReport } from './fault-report.js';
import { importOptions, readImportOptions, type ImportChoice } from './import-options.js';
import { mustNotLosePasswords } from './lost-passwords.js';
import { MappedUsers } from './mapped-users.js';
import { openSource, type OpenedSource } from './open-source.js';
import { showProgress } from './progress.js';
import {
  addressWarning,
  differenceWarning,
  phoneWarning,
  proposalText,
  resultText,
  summaryText,
} from './summary.js';

export const importSummary =
  'Imports the users of another system, with their passwords, identities and second factors.';

const help = `Usage: svc-auth import --from <source> (--database <url> | --file <file>) [options]

${importSummary}
It first shows what it will do, and asks. If it is ended, run it again: users that are there are left as they are.
The new database is that of DATABASE_URL or of --config <file>. Exit code: 0 all imported, 1 faults, 2 wrong usage.

Options:
${describeOptions(importOptions)}`;

/** Runs `svc-auth import <args>`. Returns the exit code: 0 all imported, 1 failed or with faults, 2 wrong usage. */
export async function runImport(args: string[], surroundings: Surroundings): Promise<number> {
  let hasFaults = false;
  const code = await guarded('import', surroundings, async () => {
    const parsed = Arguments.parse(args, importOptions);
    if (parsed.has('help')) return void printHelp(help, surroundings);
    const envFile = parsed.text('env-file');
    if (envFile !== undefined) readEnvFile(envFile, surroundings.env);
    const choice = readImportOptions(parsed, surroundings.env);
    const report = new Report(surroundings.terminal, parsed.has('json'));
    const confirmed = choice.isDryRun ? async () => undefined : asking(parsed, report);
    const faults = new FaultReport(choice.report);
    const opened = await openSource(choice);
    try {
      // Who is asked sees the remark on the proposal.
      const isAsked = choice.isDryRun || !parsed.has('yes');
      if (opened.proposal && !isAsked) mustNotLosePasswords(opened.proposal);
      const run = async (service: Service) => {
        hasFaults = await new Import(choice, opened, faults, report, confirmed, service).all();
      };
      await withService(parsed.text('config'), surroundings, run, {
        hasher: choice.hasher,
        isRecorded: true,
      });
    } finally {
      faults.close();
      await opened.close();
    }
  });
  return code === 0 && hasFaults ? 1 : code;
}

class Import {
  private readonly ending = new AbortController();

  constructor(
    private readonly choice: ImportChoice,
    private readonly opened: OpenedSource,
    private readonly faults: FaultReport,
    private readonly report: Report,
    private readonly confirmed: (question: string) => Promise<void>,
    private readonly service: Service,
  ) {}

  /** Returns whether anything was not imported. */
  async all(): Promise<boolean> {
    const { hashes } = this.choice;
    const companion = hashes === undefined ? null : await CompanionFile.open(hashes, '_id');
    if (companion && companion.faults > 0)
      this.report.remark(`${companion.faults} lines of --hashes cannot be read, or have no _id.`);
    // Once: a second Ctrl-C ends the process, which is as safe.
    const end = () => this.ending.abort();
    process.once('SIGINT', end);
    try {
      return await this.inTwoPasses(companion);
    } finally {
      process.off('SIGINT', end);
      companion?.close();
    }
  }

  private async inTwoPasses(companion: CompanionFile | null): Promise<boolean> {
    const { opened, report } = this;
    if (opened.proposal) report.remark(proposalText(opened));
    const preview = await this.pass(companion, 'Checking', opened.total, true);
    const { counts } = preview;
    const { faults, choice } = this;
    const trusts = (field: 'emailVerified' | 'phoneVerified') => choice.engine[field] === 'trust-all';
    const summary = summaryText({
      ...{ source: choice.source, opened, counts },
      report: preview.result,
      faults,
      path: choice.report,
    });
    const warnings = [
      addressWarning(counts, trusts('emailVerified')),
      phoneWarning(counts, trusts('phoneVerified')),
      differenceWarning(faults),
    ];
    const text = [...warnings, summary].filter((part) => part !== null).join('\n\n');
    if (choice.isDryRun || preview.isEnded) {
      report.print({ dryRun: true, ...outcomeOf(preview) }, text);
      return faults.total > 0 || preview.isEnded;
    }
    report.remark(text);
    const { created, merged, renewed, skipped } = preview.result;
    if (skipped > 0 && choice.engine.onConflict === 'fail')
      throw new Error(
        `${skipped} records conflict with accounts. Nothing was changed. Pass --on-conflict skip or merge.`,
      );
    const changes = created + merged + renewed;
    if (changes > 0) await this.confirmed(`Import ${changes} users?`);
    if (this.ending.signal.aborted) throw new CanceledError();
    const done = await this.pass(companion, 'Importing', counts.users, false);
    report.print(outcomeOf(done), resultText(done.result, done.counts.unreadable, faults, choice.report));
    if (done.isEnded)
      report.remark(
        'Ended after the batch. Run the same command again to continue: users that are there are left as they are.',
      );
    return faults.total > 0 || done.isEnded;
  }

  private async pass(companion: CompanionFile | null, title: string, total: number | null, dryRun: boolean) {
    const { choice, ending, faults, opened, report } = this;
    faults.begin();
    const tools = {
      ...{ secret: choice.secret, hashForm: opened.hashForm, companion },
      providers: providersOf(opened.map),
    };
    const mapped = new MappedUsers(
      opened.records,
      opened.rules,
      tools,
      (fault) => faults.add(fault),
      choice.limit,
    );
    const expected = total === null ? null : Math.min(total, choice.limit);
    const progress = showProgress(report.terminal, title, expected);
    try {
      const result = await this.service.users.import(mapped.users(), {
        ...choice.engine,
        dryRun,
        signal: ending.signal,
        onFault: (fault) => faults.add(mapped.placed(fault)),
        onProgress: ({ read }) => progress.update(read),
      });
      return { result, counts: mapped.counts, isEnded: ending.signal.aborted };
    } catch (error) {
      throw conflictMessage(error) ?? error;
    } finally {
      progress.end();
    }
  }
}

/** What another process has stored since the first pass. */
function conflictMessage(error: unknown): Error | null {
  if (!isServiceError(error) || error.code !== 'import_conflict') return null;
  const { report } = error as unknown as { report: ImportReport };
  return new Error(
    `A record conflicts with an account that is new. ${report.created} users were imported before it. Run the command again to see it.`,
  );
}

function outcomeOf({ counts, result }: { counts: MappedUsers['counts']; result: ImportReport }) {
  const { faults: _, ...numbers } = result;
  const named = (map: ReadonlyMap<string, number>) => Object.fromEntries(map);
  return {
    ...numbers,
    unreadable: counts.unreadable,
    addresses: counts.addresses,
    verifiedAddresses: counts.verified,
    phoneNumbers: counts.phones,
    verifiedPhoneNumbers: counts.verifiedPhones,
    passwordHashes: named(counts.hashes),
    identities: named(counts.identities),
    roles: named(counts.roles),
    omitted: named(counts.omitted),
  };
}
