/** The token of an invitation, kept while its reader signs in; in this tab only. */
const key = 'invite';

export const pendingInvite = () => sessionStorage.getItem(key);
export const keepInvite = (token: string) => sessionStorage.setItem(key, token);
export const forgetInvite = () => sessionStorage.removeItem(key);
