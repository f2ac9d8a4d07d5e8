/** The icon of the pages, in the tab of the browser. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#3f4fd9"/>
<path d="M16 6.5 24 9v6.6c0 4.7-3.2 8-8 10-4.8-2-8-5.3-8-10V9z" fill="none" stroke="#fff" stroke-width="2.2" stroke-linejoin="round"/>
<path d="m12.6 15.8 2.5 2.5 4.6-4.9" fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`;
