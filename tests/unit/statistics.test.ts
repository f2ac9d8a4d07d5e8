// The counters of the option `statistics`: in memory, added to the storage every few seconds.
import { memoryAdapter } from 'svc-auth';
import type { StatisticsRepository } from 'svc-auth';
import { barChart, legend, lineChart, topOf } from '../../src/admin/overview/chart.js';
import { csvOf } from '../../src/admin/overview/csv.js';
import { activePeriodsOf, periodsIn, periodsOf } from '../../src/core/support/statistics-periods.js';
import { StatisticsReports } from '../../src/core/support/statistics-report.js';
import { Statistics } from '../../src/core/support/statistics.js';
import { recordingLogger, type LogEntry } from '../support/make-service.js';

const start = Date.parse('2031-05-06T07:08:09Z');
const hour = 60 * 60_000;
const day = 24 * hour;

function scene(wrap = (storage: StatisticsRepository): StatisticsRepository => storage) {
  const adapter = memoryAdapter();
  const time = { now: start };
  const log: LogEntry[] = [];
  const storage = adapter.statistics!;
  const clock = () => time.now;
  const statistics = new Statistics(wrap(storage), clock, recordingLogger(log));
  const reports = new StatisticsReports(storage, clock);
  const addUser = async (id: string) =>
    adapter.users.insert({
      ...{ id, email: null, emailVerified: false, passwordHash: null, metadata: {} },
      createdAt: new Date(start),
    });
  return { adapter, addUser, log, reports, statistics, storage, time };
}

const ids = (count: number) =>
  Array.from({ length: count }, (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`);

describe('Statistics', () => {
  it('are added to the hour, the day and the month, and not before they are flushed', async () => {
    const { statistics, storage } = scene();
    statistics.count('sign_ins', 'google');
    statistics.count('sign_ins', 'google');
    expect(await storage.read(['2031-05-06'])).toEqual([]);
    await statistics.flush();
    for (const period of ['2031-05-06T07', '2031-05-06', '2031-05'])
      expect(await storage.read([period])).toEqual([{ period, name: 'sign_ins', label: 'google', count: 2 }]);
  });

  it('are flushed by a timer', async () => {
    const { storage, time } = scene();
    const statistics = new Statistics(storage, () => time.now, recordingLogger([]), 1);
    for (const count of [1, 2]) {
      statistics.count('sign_ups', 'password');
      const isAdded = async () => (await storage.read(['2031-05']))[0]?.count === count;
      while (!(await isAdded())) await new Promise((resolve) => setTimeout(resolve, 1));
    }
  });

  it('are not lost if a flush fails, and what is counted in the meantime is added to them', async () => {
    const failures: Error[] = [new Error('the database is down')];
    const { statistics, storage, log } = scene((inner) => ({
      ...inner,
      async add(...args) {
        const failure = failures.pop();
        if (failure) {
          // Counted while the flush runs.
          statistics.count('mails', 'sent');
          throw failure;
        }
        await inner.add(...args);
      },
    }));
    statistics.count('mails', 'sent');
    await statistics.flush();
    expect(await storage.read(['2031-05'])).toEqual([]);
    expect(log).toMatchObject([{ level: 'warn', fields: { event: 'statistics_failed' } }]);
    await statistics.close();
    expect(await storage.read(['2031-05'])).toMatchObject([{ label: 'sent', count: 2 }]);
  });

  it('of four processes that flush at the same time lose nothing', async () => {
    const { adapter, storage, time, addUser } = scene();
    const users = ids(3);
    for (const id of users) await addUser(id);
    const processes = Array.from(
      { length: 4 },
      () => new Statistics(adapter.statistics!, () => time.now, recordingLogger([])),
    );
    for (const [index, each] of processes.entries()) {
      for (let count = 0; count <= index; count += 1) each.count('limits', 'login:address');
      for (const id of users) each.seen(id);
    }
    await Promise.all(processes.map((each) => each.close()));
    expect(await storage.read(['2031-05-06'])).toEqual([
      { period: '2031-05-06', name: 'limits', label: 'login:address', count: 10 },
      { period: '2031-05-06', name: 'active_users', label: '', count: 3 },
    ]);
  });

  it('count a user once a day, once a month and once a year', async () => {
    const { statistics, reports, time, addUser } = scene();
    const [first, second] = ids(2) as [string, string];
    await addUser(first);
    await addUser(second);
    const active = async () => (await reports.read({ range: 'month' })).activeUsers;
    statistics.seen(first);
    statistics.seen(first);
    await statistics.flush();
    statistics.seen(first);
    statistics.seen(second);
    await statistics.flush();
    expect(await active()).toEqual({ day: 2, month: 2, year: 2 });
    time.now += day;
    statistics.seen(first);
    await statistics.flush();
    expect(await active()).toEqual({ day: 1, month: 2, year: 2 });
    time.now += 40 * day;
    statistics.seen(second);
    await statistics.flush();
    expect(await active()).toEqual({ day: 1, month: 1, year: 2 });
  });

  it('have a bounded number of labels, none of which a client can choose', async () => {
    const { statistics, storage } = scene();
    for (let index = 0; index < 500; index += 1) statistics.count('failed_sign_ins', `reason_${index}`);
    for (const label of ['a b', '=1+1', 'ada@example.com', 'x'.repeat(65), '\n', '\u0000'])
      statistics.count('failed_sign_ins', label);
    await statistics.flush();
    const rows = await storage.read(['2031-05']);
    expect(rows).toHaveLength(65);
    expect(rows.find(({ label }) => label === 'other')?.count).toBe(500 - 64 + 6);
  });

  it('remember a bounded number of counters and users while the database does not respond', async () => {
    const { statistics, log, time } = scene(() => ({
      add: () => Promise.reject(new Error('down')),
      read: () => Promise.reject(new Error('down')),
    }));
    for (let index = 0; index < 6_000; index += 1) {
      time.now += hour;
      statistics.count('mails', 'sent');
    }
    for (const id of ids(12_000)) statistics.seen(id);
    await statistics.flush();
    await statistics.flush();
    expect(log.filter(({ fields }) => fields['event'] === 'statistics_full')).toHaveLength(1);
    const waiting = statistics as unknown as {
      counters: Map<string, unknown>;
      active: Map<string, Set<string>>;
    };
    expect(waiting.counters.size).toBe(5_000);
    expect([...waiting.active.values()].map(({ size }) => size)).toEqual([10_000]);
    await statistics.clear();
    await statistics.close();
  });

  it('count nothing if the clock of the application is wrong, and do not throw', async () => {
    const { statistics, storage, time } = scene();
    time.now = Number.NaN;
    statistics.count('mails', 'sent');
    statistics.seen(ids(1)[0]!);
    await statistics.close();
    expect(await storage.read(['2031-05'])).toEqual([]);
  });

  it('of a range are read as series over its periods, the largest first', async () => {
    const { statistics, reports, time } = scene();
    statistics.count('sign_ins', 'google');
    time.now += hour;
    statistics.count('sign_ins', 'passkey');
    statistics.count('sign_ins', 'passkey');
    statistics.count('sign_ups', 'google');
    await statistics.flush();
    const report = await reports.read();
    expect(report.periods).toHaveLength(24);
    expect(report.periods.slice(-2)).toEqual(['2031-05-06T07', '2031-05-06T08']);
    expect(report.series.map(({ name, label, counts }) => [name, label, ...counts.slice(-2)])).toEqual([
      ['sign_ups', 'google', 0, 1],
      ['sign_ins', 'passkey', 0, 2],
      ['sign_ins', 'google', 1, 0],
    ]);
    expect((await reports.read({ range: 'year' })).periods).toHaveLength(12);
    for (const range of ['week', '', null, 1])
      await expect(reports.read({ range: range as never })).rejects.toMatchObject({
        code: 'invalid_request',
      });
    await expect(reports.read({ ranges: 'day' } as never)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('The periods of statistics', () => {
  it('of a range are whole, in UTC, and end with the current one', () => {
    const now = Date.parse('2032-03-01T00:30:00Z');
    expect(periodsIn('day', now).slice(-2)).toEqual(['2032-02-29T23', '2032-03-01T00']);
    expect(periodsIn('month', now).slice(-3)).toEqual(['2032-02-28', '2032-02-29', '2032-03-01']);
    const last = Date.parse('2031-03-31T12:00:00Z');
    const months = periodsIn('year', last);
    expect([months[0], months.at(-2), months.at(-1)]).toEqual(['2030-04', '2031-02', '2031-03']);
    expect(new Set(months).size).toBe(12);
  });

  it('are kept for three days, four hundred days, and for good', () => {
    expect(periodsOf('2031-05-06T07')).toEqual([
      { period: '2031-05-06T07', expiresAt: new Date('2031-05-09T07:00:00Z') },
      { period: '2031-05-06', expiresAt: new Date(Date.parse('2031-05-06') + 400 * day) },
      { period: '2031-05', expiresAt: null },
    ]);
  });

  it('keep who was active until two days after their end', () => {
    expect(activePeriodsOf('2031-12-31').map(({ period, expiresAt }) => [period, expiresAt])).toEqual([
      ['2031-12-31', new Date('2032-01-03')],
      ['2031-12', new Date('2032-01-03')],
      ['2031', new Date('2032-01-03')],
    ]);
  });
});

describe('The charts of the overview', () => {
  const periods = ['Monday', 'Tuesday', 'Wednesday'].map((label) => ({ label, tick: label.slice(0, 2) }));
  const chart = { id: 'c', language: 'en', title: 'Sign-ins <b>', description: 'At most 1,200.', periods };

  it('have a title, a description, an axis and the number of every bar', () => {
    const { text } = barChart({ ...chart, series: [{ label: 'All', counts: [0, 1200, 3] }] });
    expect(text).toContain('role="img"');
    expect(text).toContain('<title id="c-title">Sign-ins &#60;b&#62;</title>');
    expect(text).toContain('<desc id="c-description">At most 1,200.</desc>');
    expect(text).toContain('<title>Tuesday: 1,200</title>');
    expect(text).toContain('>2K</text>');
    expect(text.match(/class="fill"/g)).toHaveLength(2);
    expect(text).not.toMatch(/style=|NaN|Infinity/);
  });

  it('distinguish lines by their dashes, which the legend names', () => {
    const series = [
      { label: 'Sent', counts: [1, 2, 3] },
      { label: 'Failed', counts: [0, 0, 1] },
    ];
    const { text } = lineChart({ ...chart, series });
    expect(text).toMatch(/class="line first"[^]*class="line second"/);
    expect(text).toContain('<title>Wednesday, Failed: 1</title>');
    expect(legend(series).text).toMatch(/class="line second"[^]*Failed/);
  });

  it('end at a round number that no count is above', () => {
    expect([[], [0], [2], [3], [5], [11], [20], [999], [1_000_001]].map(topOf)).toEqual([
      2, 2, 2, 4, 6, 20, 20, 1000, 2_000_000,
    ]);
  });

  it('are exported as CSV in which no cell is a formula', () => {
    const report = {
      range: 'day' as const,
      periods: ['2031-05-06T07'],
      series: ['=1+1', '+1', '-1', '@x', '\tx', 'a,"b"', 'google'].map((label) => ({
        name: 'sign_ins' as const,
        label,
        counts: [1],
      })),
      activeUsers: { day: 0, month: 0, year: 0 },
    };
    expect(csvOf(report).split('\r\n')).toEqual([
      'period_utc,statistic,label,count',
      "2031-05-06T07,sign_ins,'=1+1,1",
      "2031-05-06T07,sign_ins,'+1,1",
      "2031-05-06T07,sign_ins,'-1,1",
      "2031-05-06T07,sign_ins,'@x,1",
      `2031-05-06T07,sign_ins,"'\tx",1`,
      '2031-05-06T07,sign_ins,"a,""b""",1',
      '2031-05-06T07,sign_ins,google,1',
      '',
    ]);
  });
});
