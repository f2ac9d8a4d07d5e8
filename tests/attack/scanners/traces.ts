/**
 * What mail scanners and link previews do with a link, as data: the requests in their order, with the headers that
 * distinguish them. They are written from the logs that applications have published after their links were used up, and
 * from the vendors' documents. Every scanner follows redirects and keeps cookies.
 */

export interface Visit {
  /**
   * `script`: the browser runs the scripts of the page, and a script submits its first form. A browser marks such a
   * request as its own, but not as started by a user.
   */
  method: 'GET' | 'HEAD' | 'OPTIONS' | 'script';
  headers: Readonly<Record<string, string>>;
  /** What the scanner has made of the query. */
  rewrite?: (query: string) => string;
  /** Milliseconds since the previous visit. */
  waitMs?: number;
}

export interface Trace {
  scanner: string;
  visits: readonly Visit[];
}

const minute = 60_000;

const chrome = (version: string, extra = '') =>
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version} Safari/537.36${extra}`;

const html = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8';

/** Chromium with a separate profile, as a person's browser sends it after a click in a mail program. */
const openedInChromium = (version: string) => ({
  'User-Agent': chrome(`${version}.0.0.0`),
  Accept: html,
  'Accept-Language': 'en-US,en;q=0.9',
  'Upgrade-Insecure-Requests': '1',
  'Sec-CH-UA': `"Chromium";v="${version}", "Not=A?Brand";v="24"`,
  'Sec-CH-UA-Mobile': '?0',
  'Sec-CH-UA-Platform': '"Windows"',
  'Sec-Fetch-Site': 'none',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-User': '?1',
  'Sec-Fetch-Dest': 'document',
});

/** The same browser, when a script of the page submits a form: the request has no `Sec-Fetch-User`. */
const submittedByScript = (version: string) => {
  const { 'Sec-Fetch-User': _user, ...headers } = openedInChromium(version);
  return { ...headers, 'Sec-Fetch-Site': 'same-origin', Origin: 'null' };
};

export const traces: readonly Trace[] = [
  {
    scanner:
      'Microsoft Safe Links: HEAD, then a GET with the user agent of a browser, then one at the time of the click',
    visits: [
      { method: 'HEAD', headers: { 'User-Agent': chrome('72.0.3626.109'), Accept: '*/*' } },
      // A link that was taken from the source of the mail, with its line breaks encoded.
      {
        method: 'GET',
        headers: { 'User-Agent': chrome('72.0.3626.109') },
        rewrite: (query) => query.replace('token=', 'token=3D'),
      },
      {
        method: 'GET',
        headers: { 'User-Agent': chrome('72.0.3626.109'), Accept: html, 'Accept-Encoding': 'gzip, deflate' },
      },
      {
        method: 'GET',
        waitMs: 5 * minute,
        headers: {
          'User-Agent': chrome('117.0.0.0', ' Edg/117.0.2045.47 OneOutlook/1.2023.927.100'),
          'X-Native-Host': 'OneOutlook/1.2023.927.100',
          Accept: html,
        },
      },
    ],
  },
  {
    scanner: 'Microsoft Defender: a headless browser that runs scripts and submits forms',
    visits: [
      { method: 'GET', headers: openedInChromium('138') },
      { method: 'script', headers: submittedByScript('138') },
      { method: 'script', headers: submittedByScript('138'), waitMs: 2_000 },
    ],
  },
  {
    scanner: 'Proofpoint URL Defense: the link behind another URL, with parameters added and encoded again',
    visits: [
      {
        method: 'GET',
        headers: { 'User-Agent': chrome('120.0.0.0'), Accept: html, Referer: 'https://urldefense.com/' },
        rewrite: (query) => `?utm_source=mail&${query.slice(1)}&follow=true`,
      },
      {
        method: 'GET',
        headers: { 'User-Agent': chrome('120.0.0.0'), Referer: 'https://urldefense.proofpoint.com/' },
        rewrite: (query) => query.replace('.', '%2E'),
      },
      { method: 'script', headers: { ...submittedByScript('120'), 'Sec-Fetch-Site': 'cross-site' } },
    ],
  },
  {
    scanner: 'Mimecast URL Protect: at delivery, and a second look at the time of the click',
    visits: [
      { method: 'GET', headers: { 'User-Agent': chrome('109.0.0.0'), Accept: html, Connection: 'close' } },
      { method: 'HEAD', headers: { 'User-Agent': chrome('109.0.0.0') }, waitMs: 9 * minute },
      { method: 'GET', headers: openedInChromium('126') },
    ],
  },
  {
    scanner: 'Barracuda Link Protection: every link at once, twice, from a Firefox',
    visits: Array.from({ length: 2 }, () => ({
      method: 'GET',
      headers: {
        'User-Agent': 'Mozilla/5.0 (Windows NT 6.1; WOW64; rv:45.0) Gecko/20100101 Firefox/45.0',
        Accept: html,
        Referer: 'https://linkprotect.cudasvc.com/url?a=https%3a%2f%2fapp.test&c=E,1',
      },
    })),
  },
  {
    scanner: 'Google: the image proxy, and the private prefetch of Chrome',
    visits: [
      {
        method: 'GET',
        headers: {
          'User-Agent':
            'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
        },
      },
      {
        method: 'GET',
        headers: {
          ...openedInChromium('131'),
          'Sec-Purpose': 'prefetch;anonymous-client-ip',
          Purpose: 'prefetch',
        },
      },
      { method: 'GET', headers: { ...openedInChromium('131'), 'Sec-Purpose': 'prefetch;prerender' } },
    ],
  },
  {
    scanner: 'Slack and Outlook: previews of a link in a message',
    visits: [
      {
        method: 'GET',
        headers: {
          'User-Agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
          Range: 'bytes=0-32768',
          Accept: '*/*',
        },
      },
      {
        method: 'OPTIONS',
        headers: {
          'User-Agent': 'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17328; Pro)',
        },
      },
      {
        method: 'GET',
        headers: {
          'User-Agent':
            'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
        },
      },
    ],
  },
];
