/** Typography and the frame of the pages. */
export const base = `
*,
*::before,
*::after {
  box-sizing: border-box;
}
html {
  -webkit-text-size-adjust: 100%;
  scroll-padding-top: 1rem;
}
body {
  min-height: 100vh;
  margin: 0;
  background: var(--page);
  color: var(--text);
  font:
    0.9375rem/1.5 system-ui,
    -apple-system,
    'Segoe UI',
    Roboto,
    sans-serif;
  overflow-wrap: anywhere;
}
h1,
h2,
h3,
p,
dl,
dd,
ul,
ol,
pre,
table {
  margin: 0;
  padding: 0;
}
h1 {
  font-size: 1.5rem;
  line-height: 1.25;
  letter-spacing: -0.02em;
}
h2 {
  font-size: 1rem;
  line-height: 1.4;
}
h3 {
  font-size: 0.875rem;
}
ul,
ol {
  list-style: none;
}
a {
  color: var(--accent);
  text-underline-offset: 0.15em;
}
code,
pre,
.code {
  font-family: var(--mono);
  font-size: 0.8125rem;
}
pre {
  white-space: pre-wrap;
}
:focus-visible {
  outline: 3px solid var(--accent);
  outline-offset: 2px;
}
[tabindex='-1']:focus {
  outline: none;
}
.soft {
  color: var(--soft);
}
.strong {
  font-weight: 600;
}
.hidden {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}
.skip {
  position: absolute;
  top: 0.5rem;
  left: 0.5rem;
  z-index: 1;
  padding: 0.75rem 1rem;
  border-radius: var(--radius);
  background: var(--accent);
  color: var(--on-accent);
}
.skip:not(:focus) {
  clip-path: inset(50%);
}

.top {
  border-bottom: 1px solid var(--line);
  background: var(--card);
}
.bar {
  display: flex;
  align-items: center;
  gap: 0.25rem 1.5rem;
  max-width: 76rem;
  min-height: 3.5rem;
  margin: 0 auto;
  padding: 0 1.5rem;
}
.bar a {
  display: inline-flex;
  align-items: center;
  min-height: 2.75rem;
}
.brand {
  gap: 0.625rem;
  color: var(--text);
  font-weight: 650;
  letter-spacing: -0.01em;
  text-decoration: none;
}
.bar nav {
  margin-right: auto;
}
.bar nav a {
  color: var(--soft);
  font-weight: 500;
  text-decoration: none;
}
.bar nav a:hover,
.bar .out:hover {
  color: var(--text);
}
.bar nav a[aria-current] {
  box-shadow: inset 0 -2px var(--accent);
  color: var(--text);
}
.me {
  overflow: hidden;
  max-width: 20rem;
  color: var(--soft);
  font-size: 0.875rem;
  text-overflow: ellipsis;
  white-space: nowrap;
}
.bar .out {
  color: var(--soft);
  font-size: 0.875rem;
}
main {
  max-width: 76rem;
  margin: 0 auto;
  padding: 1.75rem 1.5rem 4rem;
}
main.narrow {
  max-width: 40rem;
}
main.notice {
  display: flex;
  align-items: center;
  max-width: 30rem;
  min-height: 100vh;
  padding-bottom: 1.75rem;
}
.notice .card {
  display: grid;
  gap: 1rem;
  width: 100%;
  padding: 2rem;
}
.notice h1 {
  font-size: 1.25rem;
}
.trail {
  margin-bottom: 0.75rem;
  font-size: 0.875rem;
}
.trail ol {
  display: flex;
  align-items: baseline;
  flex-wrap: wrap;
}
.trail li {
  display: flex;
  align-items: baseline;
  color: var(--soft);
}
.trail li + li::before {
  padding: 0 0.5rem;
  content: '/';
  content: '/' / '';
}
.trail a {
  display: inline-block;
  padding: 0.25rem 0;
  color: var(--accent);
  text-decoration: none;
}
.trail a:hover {
  text-decoration: underline;
}
@media (max-width: 40rem) {
  .bar {
    padding: 0 1rem;
  }
  .me {
    display: none;
  }
  main {
    padding: 1.25rem 1rem 3rem;
  }
  .notice .card {
    padding: 1.5rem;
  }
}
`;
