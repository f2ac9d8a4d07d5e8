// The check that refuses a release while the repository contains placeholders.
import { releaseFaults, type ReleaseState } from '../../scripts/check-release.js';

const releasableState: ReleaseState = {
  manifest: {
    version: '0.2.0',
    homepage: 'https://auth.acme.dev',
    bugs: { url: 'https://auth.acme.dev/issues' },
    repository: { type: 'git', url: 'git+https://auth.acme.dev/svc-auth.git' },
  },
  changelog: '# Changelog\n\n## 0.2.0 - 2026-12-01\n',
  publicKey: 'a key of the vendor',
  workingTree: '',
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

  it('release:check refuses the public key of this repository', async () => {
    const { vendorPublicKey } = await import('../../src/engine/vendor-key.js');
    expect(releaseFaults({ ...releasableState, publicKey: vendorPublicKey })).toEqual([
      expect.stringContaining('vendor-key.ts'),
    ]);
  });

  it('release:check refuses a working tree with changes', () => {
    expect(releaseFaults({ ...releasableState, workingTree: ' M README.md\n' })).toHaveLength(1);
  });
});
