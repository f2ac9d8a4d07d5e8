// The check that refuses a release while the repository contains placeholders.
import { generateLicenseKeys, issueLicense, openLicense } from '../../src/crypto/license-token.js';
import { communityLicense, vendorPublicKey } from '../../src/engine/vendor-key.js';
import { releaseFaults, type ReleaseState } from '../../scripts/check-release.js';

const { privateKey, publicKey } = generateLicenseKeys();
const terms = { holder: 'Community', issuedAt: new Date('2026-12-01') };

const releasableState: ReleaseState = {
  manifest: {
    version: '0.2.0',
    homepage: 'https://auth.acme.dev',
    bugs: { url: 'https://auth.acme.dev/issues' },
    repository: { type: 'git', url: 'git+https://auth.acme.dev/svc-auth.git' },
  },
  changelog: '# Changelog\n\n## 0.2.0 - 2026-12-01\n',
  publicKey,
  communityLicense: issueLicense(terms, privateKey),
  workingTree: '',
  unreadLanguages: [],
};

describe('npm run release:check', () => {
  it('release:check accepts a repository without placeholders', () => {
    expect(releaseFaults(releasableState)).toEqual([]);
  });

  it.each(['homepage', 'bugs', 'repository'])('release:check refuses a package.json without %s', (name) => {
    const faults = releaseFaults({
      ...releasableState,
      manifest: { ...releasableState.manifest, [name]: undefined },
    });
    expect(faults).toEqual([expect.stringContaining(`"${name}"`)]);
  });

  it.each(['https://example.com/svc-auth', 'http://auth.acme.dev', 'https://auth.acme.test', 'to do'])(
    'release:check refuses the placeholder %s as an address',
    (homepage) => {
      expect(
        releaseFaults({ ...releasableState, manifest: { ...releasableState.manifest, homepage } }),
      ).toHaveLength(1);
    },
  );

  it('release:check refuses a changelog without a dated section for the version', () => {
    expect(releaseFaults({ ...releasableState, changelog: '## 0.2.0 - Unreleased\n' })).toEqual([
      expect.stringContaining('CHANGELOG.md'),
    ]);
  });

  it('release:check refuses the public key of this repository, with its community license', () => {
    const faults = releaseFaults({ ...releasableState, publicKey: vendorPublicKey, communityLicense });
    expect(faults).toEqual([expect.stringContaining('replace the public key and the community license')]);
  });

  it.each([
    ['of this repository', communityLicense],
    ['of another vendor', issueLicense(terms, generateLicenseKeys().privateKey)],
    ['that expires', issueLicense({ ...terms, expiresAt: new Date('2099-01-01') }, privateKey)],
    ['that is empty', ''],
  ])('release:check refuses a community license %s under the key of the vendor', (_kind, license) => {
    expect(releaseFaults({ ...releasableState, communityLicense: license })).toEqual([
      expect.stringContaining('sign the community license'),
    ]);
  });

  it('release:check refuses a working tree with changes', () => {
    expect(releaseFaults({ ...releasableState, workingTree: ' M README.md\n' })).toHaveLength(1);
  });

  it('release:check refuses translations that were not read after the English sentence changed', () => {
    expect(releaseFaults({ ...releasableState, unreadLanguages: ['ko', 'uk'] })).toEqual([
      expect.stringContaining('ko, uk'),
    ]);
  });
});

describe('The community license', () => {
  it('is signed with the key of the vendor and does not expire', () => {
    expect(openLicense(communityLicense, vendorPublicKey)).toEqual({
      product: 'svc-auth',
      tier: 'pro',
      holder: 'Community',
      issuedAt: expect.any(String) as string,
    });
  });
});
