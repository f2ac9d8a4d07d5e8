// Which addresses the service connects to in the name of a stranger, and which client ids are addresses of documents.
import { documentUrl } from '../../src/oauth-server/metadata-documents/document-url.js';
import { isPublicAddress } from '../../src/oauth-server/metadata-documents/public-address.js';

describe('isPublicAddress()', () => {
  it.each([
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.255'],
    ...['100.100.100.200', '127.0.0.1', '127.255.255.254', '168.63.129.16', '169.254.0.1', '169.254.169.254'],
    ...[
      '172.16.0.1',
      '172.31.255.255',
      '192.0.0.1',
      '192.0.0.192',
      '192.0.2.1',
      '192.31.196.1',
      '192.52.193.1',
    ],
    ...['192.88.99.1', '192.168.0.1', '192.168.255.255', '192.175.48.1', '198.18.0.1', '198.19.255.255'],
    ...['198.51.100.7', '203.0.113.9', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255'],
    ...['::', '::1', '::7f00:1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::ffff:0:127.0.0.1'],
    ...[
      '64:ff9b::7f00:1',
      '64:ff9b::8.8.8.8',
      '64:ff9b:1::1',
      '100::1',
      '100:0:0:1::1',
      '2001::1',
      '2001:2::1',
    ],
    ...['2001:10::1', '2001:20::1', '2001:db8::1', '2002:7f00:1::', '2002:0808:0808::1', '2620:4f:8000::1'],
    ...[
      '3fff::1',
      '3fff:fff::1',
      '5f00::1',
      'fc00::1',
      'fd00:ec2::254',
      'fdff::1',
      'fe80::1',
      'fe80::1%eth0',
    ],
    ...['febf::1', 'fec0::1', 'ff02::1', 'ff0e::1', '4000::1', '1fff::1'],
    ...[
      '',
      'localhost',
      '127.1',
      '0x7f000001',
      '2130706433',
      '0177.0.0.1',
      '1.2.3',
      '[::1]',
      '8.8.8.8 ',
      '::g',
    ],
  ])('refuses %j', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    ...[
      '1.1.1.1',
      '8.8.8.8',
      '9.255.255.255',
      '11.0.0.1',
      '100.63.255.255',
      '100.128.0.1',
      '126.255.255.255',
    ],
    ...['128.0.0.1', '168.63.129.15', '169.253.255.255', '172.15.255.255', '172.32.0.1', '192.0.1.1'],
    ...['192.167.255.255', '192.169.0.1', '198.17.255.255', '198.20.0.1', '223.255.255.255'],
    ...['2001:200::1', '2001:4860:4860::8888', '2003::1', '2606:4700:4700::1111', '2a00:1450::1', '3ffe::1'],
  ])('accepts %j', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('documentUrl()', () => {
  it.each([
    ...['https://app.example/client.json', 'https://app.example:8443/client', 'https://app.example/c?x=1'],
    ...['https://sub.app.example/a/b/', 'https://xn--bcher-kva.example/client', 'https://app.example/a..b'],
  ])('accepts %j', (id) => {
    expect(documentUrl(id)?.href).toBe(id);
  });

  it.each([
    ...['', 'client', '0192e8b4-0000-7000-8000-000000000000', 'http://app.example/c', 'https:app.example/c'],
    ...['https://app.example', 'https://app.example/', 'https://app.example?x=/c', 'HTTPS://app.example/c'],
    ...[
      'https://APP.example/c',
      'https://app.example:443/c',
      'https://app.example/c#',
      'https://app.example/c#x',
    ],
    ...['https://user@app.example/c', 'https://user:pass@app.example/c', 'https://@app.example/c'],
    ...['https://app.example/a/../c', 'https://app.example/./c', 'https://app.example/%2e%2e/c'],
    ...[
      'https://app.example/.%2E/c',
      'https://app.example/a\\c',
      'https:\\\\app.example\\c',
      ' https://app.example/c',
    ],
    ...[
      'https://app.example/c\n',
      'https://app.example/ä',
      'https://bücher.example/c',
      'https://app.example./c',
    ],
    ...['https://localhost/c', 'https://foo.localhost/c', 'https://intranet/c', 'https://printer.local/c'],
    ...[
      'https://metadata.google.internal/c',
      'https://127.0.0.1/c',
      'https://127.1/c',
      'https://2130706433/c',
    ],
    ...['https://0x7f.0.0.1/c', 'https://0x7f000001/c', 'https://0177.0.0.1/c', 'https://8.8.8.8/c'],
    ...['https://[::1]/c', 'https://[::ffff:127.0.0.1]/c', 'https://①②⑦.0.0.1/c', 'https://127。0。0。1/c'],
    `https://app.example/${'x'.repeat(255)}`,
  ])('refuses %j', (id) => {
    expect(documentUrl(id)).toBeNull();
  });
});
