/** Finds the users of a source in a database or a file, and what its columns mean. */
import { recordFields } from '../../core/imports/record-schema.js';
import { UsageError } from '../arguments.js';
import { columnsOf, relationsOf, rulesOf, type ColumnMap } from './column-map.js';
import { describeColumns, listColumns } from './column-names.js';
import { readCsv } from './csv-records.js';
import { isCsv, readJson } from './json-records.js';
import { openDatabase, type OldDatabase } from './open-database.js';
import { lostPasswords, lostPasswordsRemark } from './lost-passwords.js';
import { proposeIdentities, proposeMap, scoreOf, type Proposal } from './propose.js';
import { withoutQualifiers } from './qualified-columns.js';
import { countUsers, findRelations, readTables, sampleRows } from './read-tables.js';
import type { Sample } from './sample.js';
import { columnNamed, readSchema, tableNamed, type OldTable } from './schema.js';
import type { FieldRules, HashForm, Row, Source, SourceRecord } from './source.js';
import { plainName } from './values.js';

export interface OpenedSource {
  /** Where the users are, for people. */
  place: string;
  rules: FieldRules;
  map: ColumnMap;
  hashForm: HashForm | null;
  /** What was proposed, because no map was given. */
  proposal: Proposal | null;
  /** Unknown for a file. */
  total: number | null;
  records: () => AsyncIterable<SourceRecord>;
  close: () => Promise<void>;
}

export interface SourceChoice {
  source: Source;
  database?: string | undefined;
  schema?: string | undefined;
  file?: string | undefined;
  map: ColumnMap | null;
  hashForm: HashForm | null;
}

/** @throws UsageError if the users are not found. */
export async function openSource(choice: SourceChoice): Promise<OpenedSource> {
  if (choice.database === undefined) return openFile(choice, choice.file ?? '');
  const database = openDatabase(choice.database);
  try {
    return await openTables(choice, database);
  } catch (error) {
    await database.close();
    throw error instanceof UsageError ? error : unreadable(error);
  }
}

/** The messages of drivers can repeat the URL, with its password. */
function unreadable(error: unknown): Error {
  const { code } = error as { code?: unknown };
  return new Error(
    `The database of --database cannot be read (${typeof code === 'string' ? code : 'error'}).`,
  );
}

async function openTables(choice: SourceChoice, database: OldDatabase): Promise<OpenedSource> {
  const { source, map: given } = choice;
  const tables = await readSchema(database, choice.schema ?? source.tables?.schema ?? null);
  const proposal = source.fields || given ? null : await proposeTable(database, tables);
  const map = given ? withoutQualifiers(given, tables) : (proposal?.map ?? {});
  const users = usersTable(source, map, tables);
  mustHaveColumns(
    map,
    users.columns.map(({ name }) => name),
    `the table ${users.name}`,
  );
  const relations = findRelations(tables, { ...source.tables?.relations, ...relationsOf(map) });
  const names = [users, ...relations.map(({ table }) => table)].map(({ name }) => name);
  return {
    place: `${database.kind}, ${names.length === 1 ? 'table' : 'tables'} ${names.join(', ')}`,
    rules: { ...source.fields, ...rulesOf(map) },
    map,
    hashForm: choice.hashForm ?? proposal?.hashForm ?? null,
    proposal,
    total: await countUsers(database, users),
    records: () => readTables(database, { users, relations }),
    close: database.close,
  };
}

/** @throws UsageError */
function usersTable({ tables: known, title }: Source, map: ColumnMap, tables: readonly OldTable[]): OldTable {
  const { table } = map;
  if (table !== undefined) {
    const named = tables.find(({ name }) => name === table);
    if (named) return named;
    throw new UsageError(`The database has no table ${table}. It has: ${namesOf(tables)}.`);
  }
  const columns = columnsOf(map);
  const found = known
    ? tableNamed(tables, known.users)
    : tables.find((each) => columns.every((column) => columnNamed(each, [column]) !== null));
  if (found) return found;
  const expected = known ? ` of ${title} (${known.users.join(', ')})` : ' with the columns of --map';
  throw new UsageError(
    `The database has no table${expected}. Name it: --map table=<name>. It has: ${namesOf(tables)}.`,
  );
}

const mostNames = 30;

function namesOf(tables: readonly OldTable[]): string {
  const names = tables.slice(0, mostNames).map(({ name }) => name);
  return tables.length === 0 ? 'no tables' : `${names.join(', ')}${tables.length > mostNames ? ', …' : ''}`;
}

async function proposeTable(database: OldDatabase, tables: readonly OldTable[]): Promise<Proposal> {
  const samples: Sample[] = [];
  for (const table of tables) {
    const columns = table.columns.map(({ name }) => name);
    samples.push({ table: table.name, columns, rows: await sampleRows(database, table) });
  }
  const proposals = samples.flatMap((sample) => {
    const proposal = proposeMap(sample);
    return proposal ? [{ proposal, score: scoreOf(proposal, sample.table ?? '') }] : [];
  });
  const [best] = proposals.sort((a, b) => b.score - a.score);
  if (!best || best.score < 3)
    throw new UsageError(
      `No table looks like one of users. Name its columns: --map table=<name>,email=<column>,… The tables are: ${namesOf(tables)}.`,
    );
  const { map, remarks } = best.proposal;
  const others = samples.filter(({ table }) => table !== map['table']);
  const identities = proposeIdentities(others);
  const users = samples.find(({ table }) => table === map['table']) as Sample;
  const lost = best.proposal.lost ?? lostPasswords(map, users, others);
  return {
    ...best.proposal,
    map: identities === null ? map : { ...map, identities },
    lost,
    remarks: lost?.isElsewhere ? [...remarks, lostPasswordsRemark(lost)] : remarks,
  };
}

const listed = (columns: readonly string[]) => `It has: ${listColumns(columns)}.`;

/** @throws UsageError */
function mustHaveColumns(map: ColumnMap, columns: readonly string[], place: string, describe = listed): void {
  const missing = columnsOf(map).find(
    // A path leads into a column with JSON.
    (column) =>
      !columns.some((each) =>
        [column, column.split('.')[0]].some((name) => plainName(each) === plainName(name ?? '')),
      ),
  );
  if (missing !== undefined)
    throw new UsageError(`--map: ${place} has no column ${missing}. ${describe(columns)}`);
}

const sampleSize = 100;
/** Where exports have their records, if they are not an array or lines. */
const lists = ['users', 'data'];

async function openFile({ hashForm, map: given, source }: SourceChoice, file: string): Promise<OpenedSource> {
  const isTable = await isCsv(file);
  if (isTable && source.insteadOfCsv !== undefined && !given) throw new UsageError(source.insteadOfCsv);
  const records = () => (isTable ? readCsv(file) : readJson(file, lists));
  const sample = await sampleFile(records());
  const ownForm = isTable || source.fields || given || !isOfImport(sample) ? null : recordRules();
  const fields = source.fields ?? ownForm;
  const proposal = fields || given ? null : proposeMap(sample);
  if (!fields && !given && !proposal)
    throw new UsageError(
      `No column of ${file} has addresses or user names. Name the columns: --map email=<column>,… ${(isTable ? describeColumns : listed)(sample.columns)}`,
    );
  const map = given ?? proposal?.map ?? {};
  const describe = (columns: readonly string[]) => describeColumns(columns, columnsOf(map));
  if (isTable) mustHaveColumns(map, sample.columns, file, describe);
  return {
    place: file,
    rules: { ...fields, ...rulesOf(map) },
    map,
    hashForm: hashForm ?? proposal?.hashForm ?? null,
    proposal,
    total: null,
    records,
    close: async () => undefined,
  };
}

/** Whether the records are those of `users.import`, as `svc-auth export` writes them: with every one of these fields. */
function isOfImport({ columns }: Sample): boolean {
  const known = recordFields();
  return ownFields.every((name) => columns.includes(name)) && columns.every((name) => known.includes(name));
}

/** What a flat file of another system does not have. */
const ownFields = ['identities', 'passkeys', 'apiKeys', 'memberships'];

/** Every field is the column of its name. */
const recordRules = (): FieldRules =>
  Object.fromEntries(recordFields().map((name) => [name, (row: Row) => row[name]]));

async function sampleFile(records: AsyncIterable<SourceRecord>): Promise<Sample> {
  const rows: Row[] = [];
  for await (const record of records) {
    if ('row' in record) rows.push(record.row);
    if (rows.length >= sampleSize) break;
  }
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, 1000);
  return { table: null, columns, rows };
}
