// How files and pages travel: compressed once, in the encoding that the browser wants, and a page only on a first visit.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request, type IncomingHttpHeaders } from 'node:http';
import express from 'express';
import { createAdminPages } from 'svc-auth/admin';
import { createPages } from 'svc-auth/pages';
import { openSite, type Site } from '../support/http-site.js';

interface RawResponse {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A client that decodes nothing. */
async function get(site: Site, path: string, headers = {}, method = 'GET'): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(site.origin + path, { headers, method }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) });
      });
    });
    sent.on('error', reject).end();
  });
}

const decode: Record<string, (body: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (body) => body,
};

const plainText = ({ headers, body }: RawResponse) =>
  decode[headers['content-encoding'] ?? 'identity']!(body).toString();

let site: Site;
beforeAll(async () => {
  site = await openSite(express, undefined, {
    before: (app) => {
      app.use((_req, res, next) => {
        res.vary('Origin');
        next();
      });
    },
    after(app, { service }) {
      app.use('/app', createPages(service, { name: 'Acme' }));
      app.use('/admin', createAdminPages(service, { authorize: () => true }));
    },
  });
});
afterAll(() => site.close());

async function files(page = '/app/sign-in'): Promise<string[]> {
  const { body } = await get(site, page);
  return [...body.toString().matchAll(/(?:src|href)="(\/\w+\/assets\/[^"]+)"/g)].map(([, file = '']) => file);
}

describe('a file of the pages', () => {
  it.each([
    ['br', 'gzip, deflate, br, zstd'],
    ['gzip', 'gzip, deflate'],
    ['gzip', 'br;q=0.5, gzip;q=0.8'],
    ['br', '*'],
    ['gzip', '*, br;q=0'],
    ['identity', 'identity, br;q=0.5'],
    ['identity', 'deflate'],
    ['identity', ''],
    ['identity', 'identity;q=0, br;q=0, gzip;q=0'],
    ['identity', undefined],
  ])('is sent as %s for Accept-Encoding: %s', async (encoding, accepted) => {
    for (const file of await files()) {
      const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
      const response = await get(site, file, headers);
      expect(response.status).toBe(200);
      expect(response.headers['content-encoding'] ?? 'identity').toBe(encoding);
      expect(response.headers['content-length']).toBe(String(response.body.length));
      expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(plainText(response)).toBe(plainText(await get(site, file)));
    }
  });

  it('says that it depends on Accept-Encoding, in addition to what the application says', async () => {
    const [file = ''] = await files();
    for (const headers of [{}, { 'accept-encoding': 'br' }]) {
      const response = await get(site, file, headers);
      expect(response.headers.vary).toBe('Origin, Accept-Encoding');
    }
  });

  it('has the same headers and no body for HEAD', async () => {
    const [file = ''] = await files();
    const headers = { 'accept-encoding': 'br' };
    const [asked, shown] = [await get(site, file, headers, 'HEAD'), await get(site, file, headers)];
    expect(asked.body).toHaveLength(0);
    expect({ ...asked.headers, date: '' }).toEqual({ ...shown.headers, date: '' });
  });

  it('of the administrators is compressed too', async () => {
    const { cookie } = await site.signUp();
    const { body } = await get(site, '/admin/users', { cookie });
    const [, file = ''] = /href="(\/admin\/assets\/[^"]+css)"/.exec(body.toString()) ?? [];
    const { headers } = await get(site, file, { 'accept-encoding': 'br' });
    expect(headers['content-encoding']).toBe('br');
  });
});

describe('a page', () => {
  it('is compressed for a browser without a cookie, with another form token each time', async () => {
    const responses = [1, 2].map(() => get(site, '/app/sign-in', { 'accept-encoding': 'gzip, br' }));
    const [first, second] = await Promise.all(responses);
    expect(first?.headers['content-encoding']).toBe('br');
    expect(first?.headers.vary).toContain('Accept-Encoding');
    const tokens = [first!, second!].map(
      (each) => /name="form_token" value="([^"]+)"/.exec(plainText(each))?.[1],
    );
    expect(tokens[0]).toMatch(/^[\w-]{16,}$/);
    expect(tokens[0]).not.toBe(tokens[1]);
  });

  it('is not compressed for a browser with a cookie: its length would reveal the form token', async () => {
    for (const cookie of ['svc_pages=x', 'svc_session=x', 'other=1']) {
      const { headers } = await get(site, '/app/sign-in', { 'accept-encoding': 'gzip, br', cookie });
      expect(headers['content-encoding']).toBeUndefined();
    }
  });

  it('has none of the indentation of its templates', async () => {
    const { body } = await get(site, '/app/sign-in');
    expect(body.toString()).not.toMatch(/\n {2}/);
  });
});
