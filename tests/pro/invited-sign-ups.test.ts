// Invites to organizations admit their addresses although sign-up is closed (docs/sign-up.md, Invited people).
import type { ServiceConfig } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { day, proFixtures, proProviders } from '../support/make-pro-service.js';
import { outcomeOf } from '../support/outcomes.js';

const password = 'correct horse battery';

describeAdapters('Invited people while sign-up is closed', (on) => {
  const { uniqueEmail } = on;
  const { makePro, verifiedUser } = proFixtures(on);

  /** A service with an organization, and one on the same storage whose sign-up is closed. */
  async function closed(signUp: ServiceConfig['signUp'] = { enabled: false }, orgs: object | true = true) {
    const before = await makePro();
    const owner = await verifiedUser(before);
    const { org } = await before.service.orgs.create({ name: 'Acme', ownerUserId: owner.id });
    const providers = { ...proProviders, orgs: orgs as true };
    const { service, mail } = await makePro({ signUp, clock: before.clock, providers });
    const invite = (email: string) =>
      before.service.orgs.invite({ orgId: org.id, email, invitedByUserId: owner.id });
    const byCode = async (email: string) => {
      await service.emailCode.sendCode({ email });
      return outcomeOf(() => service.emailCode.verify({ email, code: mail.lastCode(email) ?? '000000' }));
    };
    return { before, service, mail, org, owner, invite, byCode };
  }

  it('sign up by code and by link, and accept the invite', async () => {
    const { service, mail, invite, org } = await closed();
    const email = uniqueEmail();
    const { token } = await invite(email);
    await service.emailCode.sendCode({ email });
    const { user, created } = await service.emailCode.verify({ email, code: mail.lastCode(email)! });
    expect(created).toBe(true);
    expect(await service.orgs.acceptInvite(token, user.id)).toMatchObject({ orgId: org.id });
    const other = uniqueEmail();
    await invite(other);
    const { url } = await service.magicLink.sendLink({ email: other });
    const signedIn = await service.magicLink.verify(new URL(url).searchParams.get('token')!);
    expect(signedIn.created).toBe(true);
  });

  it('sign up with a password only with the token of the invite', async () => {
    const { service, invite } = await closed();
    const email = uniqueEmail();
    const { token } = await invite(email);
    const { token: ofOther } = await invite(uniqueEmail());
    const signUp = (inviteToken?: string, address = email) =>
      outcomeOf(() =>
        service.emailPassword.signup({ email: address, password, ...(inviteToken && { inviteToken }) }),
      );
    // Without the token, the response would reveal who is invited.
    for (const wrong of [undefined, 'x', `${token}x`, ofOther])
      expect(await signUp(wrong)).toBe('sign_up_disabled');
    expect(await signUp(token, uniqueEmail())).toBe('sign_up_disabled');
    expect(await signUp(token)).toBe('ok');
    expect((await service.users.find({ email }))?.emailVerified).toBe(false);
  });

  it('sign up privately with the token of the invite', async () => {
    const { service, mail, invite } = await closed({ enabled: false, revealExisting: false });
    const email = uniqueEmail();
    const { token: inviteToken } = await invite(email);
    const result = await service.emailPassword.startSignUp({ email, password, inviteToken });
    if (!('token' in result)) throw new Error('The sign-up is not private.');
    const code = mail.lastCode(email)!;
    const { user } = await service.emailPassword.finishSignUp({ token: result.token, code });
    expect(user).toMatchObject({ email, emailVerified: true });
  });

  it('are refused once the invite has expired, is revoked, or its inviter may no longer invite', async () => {
    const { before, service, invite, byCode, org, owner } = await closed();
    const [revoked, expired, demoted] = [uniqueEmail(), uniqueEmail(), uniqueEmail()];
    const { invite: first } = await invite(revoked);
    await before.service.orgs.revokeInvite(org.id, first.id);
    expect(await byCode(revoked)).not.toBe('ok');
    const heir = await verifiedUser(before);
    await before.service.orgs.addMember(org.id, heir.id, 'owner');
    await invite(demoted);
    await before.service.orgs.setRole(org.id, owner.id, 'member');
    expect(await byCode(demoted)).not.toBe('ok');
    await before.service.orgs.setRole(org.id, owner.id, 'owner');
    const { token: inviteToken } = await invite(expired);
    before.clock.advance(7 * day);
    expect(await byCode(expired)).not.toBe('ok');
    const signUp = { email: expired, password, inviteToken };
    expect(await outcomeOf(() => service.emailPassword.signup(signUp))).toBe('sign_up_disabled');
  });

  it('get the mail of every refused address if they are not invited', async () => {
    const { service, mail, invite } = await closed();
    const [invited, stranger] = [uniqueEmail(), uniqueEmail()];
    await invite(invited);
    for (const email of [invited, stranger]) await service.emailCode.sendCode({ email });
    expect(mail.messages.slice(-2).map(({ kind }) => kind)).toEqual(['email_code', 'sign_up_refused']);
  });

  it('are still refused by allow, and as disposable addresses', async () => {
    for (const signUp of [
      { enabled: false, allow: () => false },
      { enabled: false, disposable: { refuse: true, list: ['example.com'] } },
    ]) {
      const { invite, byCode } = await closed(signUp);
      const email = uniqueEmail();
      await invite(email);
      expect(await byCode(email)).not.toBe('ok');
    }
  });
});
