// The names of authenticators by AAGUID.
import { authenticatorName } from '../../src/domain/authenticator-names.js';
import { toPublicCredential, type StoredCredential } from '../../src/domain/credential.js';

const zeros = '00000000-0000-0000-0000-000000000000';

describe('Names of authenticators', () => {
  it.each([
    ['iCloud Keychain', 'dd4ec289-e01d-41c9-bb89-70fa845d4bf2'],
    ['Apple Passwords', 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd'],
    ['Google Password Manager', 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4'],
    ['Windows Hello', '08987058-cadc-4b81-b6e1-30de50dcbe96'],
    ['Windows Hello', '9DDD1817-AF5A-4672-A2B9-3E3DD95000A9'],
    ['1Password', 'bada5566-a7aa-401f-bd96-45619a55120d'],
    ['Bitwarden', 'd548826e-79b4-db40-a3d8-11116f7e8349'],
    ['Dashlane', '531126d6-e717-415c-9320-3d9aa6981239'],
    ['Samsung Pass', '53414d53-554e-4700-0000-000000000000'],
    ['Proton Pass', '50726f74-6f6e-5061-7373-50726f746f6e'],
    ['KeePassXC', 'fdb141b2-5d84-443e-8a35-4698c205a502'],
    ['YubiKey', 'fa2b99dc-9e39-4257-8f92-4a30d23c4118'],
    ['Yubico Security Key', '2772ce93-eb4b-4090-8b73-330f48477d73'],
  ])('are known: %s', (name, aaguid) => {
    expect(authenticatorName(aaguid)).toBe(name);
  });

  it.each([zeros, '', 'dd4ec289', 'x'.repeat(32), 'ffffffff-ffff-ffff-ffff-ffffffffffff'])(
    'are null for %j',
    (aaguid) => {
      expect(authenticatorName(aaguid)).toBeNull();
    },
  );

  it('depend on how the key is reached if the model is unknown', () => {
    const credential = { name: null, aaguid: zeros, transports: ['internal'], publicKey: 'secret' };
    const nameWith = (changes: object) =>
      toPublicCredential({ ...credential, ...changes } as unknown as StoredCredential).name;
    expect(nameWith({})).toBe('Passkey');
    expect(nameWith({ transports: ['nfc', 'usb'] })).toBe('Security key');
    expect(nameWith({ name: 'My key' })).toBe('My key');
    expect(toPublicCredential(credential as unknown as StoredCredential)).not.toHaveProperty('publicKey');
  });
});
