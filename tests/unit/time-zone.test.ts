import { instantIn, isZone } from '../../src/admin/time-zone.js';

describe('instantIn', () => {
  it.each([
    ['UTC', '2030-01-31T12:00Z', '2030-01-31T12:00Z'],
    ['Europe/Berlin', '2030-01-31T12:00Z', '2030-01-31T11:00Z'],
    ['Europe/Berlin', '2030-07-31T00:30Z', '2030-07-30T22:30Z'],
    ['Asia/Kathmandu', '2030-01-01T00:00Z', '2029-12-31T18:15Z'],
    ['Pacific/Kiritimati', '2030-01-01T00:00Z', '2029-12-31T10:00Z'],
    ['America/St_Johns', '2030-07-01T23:59Z', '2030-07-02T02:29Z'],
  ])('returns the time at which clocks in %s show %s', (zone, local, expected) => {
    expect(instantIn(zone, new Date(local))).toEqual(new Date(expected));
  });

  it('takes the first of two hours when clocks go back, and counts on when they go forward', () => {
    // 2030-10-27: 03:00 becomes 02:00. 2030-03-31: 02:00 becomes 03:00.
    expect(instantIn('Europe/Berlin', new Date('2030-10-27T02:30Z'))).toEqual(new Date('2030-10-27T00:30Z'));
    expect(instantIn('Europe/Berlin', new Date('2030-03-31T02:30Z'))).toEqual(new Date('2030-03-31T01:30Z'));
  });
});

it('isZone accepts names of the IANA database only', () => {
  for (const zone of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'Asia/Calcutta'])
    expect([zone, isZone(zone)]).toEqual([zone, true]);
  for (const zone of ['', '+01:00', 'Europe/Nowhere', 'UTC;', 'Europe/Berlin ', '__proto__', null, 5])
    expect([zone, isZone(zone)]).toEqual([zone, false]);
});
