/** The colors, in light and dark: it follows the system setting. */
export const colors = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9;
  --card: #ffffff;
  --sunk: #f1f3f6;
  --text: #171b26;
  --soft: #565f70;
  --line: #e2e5eb;
  --field: #868fa0;
  --accent: #3f4fd9;
  --accent-hover: #323fb6;
  --accent-soft: #eceefd;
  --on-accent: #ffffff;
  --bad: #b3261e;
  --bad-hover: #8f1d17;
  --bad-soft: #fdeeec;
  --bad-line: #f3c9c5;
  --on-bad: #ffffff;
  --good: #14663f;
  --good-soft: #e2f4ea;
  --warn: #7a4a00;
  --warn-soft: #fdf1d7;
  --warn-line: #f0d9a4;
  --shadow: 0 1px 2px rgb(23 27 38 / 6%);
  --hue-0: #e3e7fd;
  --on-hue-0: #2f3ba8;
  --hue-1: #dcf1f3;
  --on-hue-1: #0d5b66;
  --hue-2: #e1f3e6;
  --on-hue-2: #17603a;
  --hue-3: #fbecd3;
  --on-hue-3: #774600;
  --hue-4: #fde5e2;
  --on-hue-4: #93261c;
  --hue-5: #f3e4f8;
  --on-hue-5: #6f2a86;
  --radius: 0.625rem;
  --mono: ui-monospace, 'SF Mono', Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1217;
    --card: #171b22;
    --sunk: #1f242d;
    --text: #e8ebf1;
    --soft: #a1aabb;
    --line: #2b323d;
    --field: #737d8f;
    --accent: #a9b4ff;
    --accent-hover: #c5ccff;
    --accent-soft: #23284a;
    --on-accent: #12173d;
    --bad: #ffaaa2;
    --bad-hover: #ffc8c2;
    --bad-soft: #3a1e1d;
    --bad-line: #65302c;
    --on-bad: #430d09;
    --good: #86dcae;
    --good-soft: #17352a;
    --warn: #f2c872;
    --warn-soft: #372b12;
    --warn-line: #5c4719;
    --hue-0: #272d55;
    --on-hue-0: #b9c2ff;
    --hue-1: #143a40;
    --on-hue-1: #8edbe6;
    --hue-2: #183a29;
    --on-hue-2: #93dcb0;
    --hue-3: #413112;
    --on-hue-3: #f0c987;
    --hue-4: #4a2320;
    --on-hue-4: #ffb3aa;
    --hue-5: #3d2347;
    --on-hue-5: #e0b1f0;
    --shadow: none;
  }
}
`;
