/** The token of an invitation, kept in this tab while the user signs in. */
const key = 'invite';

export const pendingInvite = () => sessionStorage.getItem(key);
export const keepInvite = (token: string) => sessionStorage.setItem(key, token);
export const forgetInvite = () => sessionStorage.removeItem(key);
