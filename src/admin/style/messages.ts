/** Messages, badges and tags. */
export const messages = `
.flash,
.callout {
  padding: 0.75rem 1rem;
  border: 1px solid var(--line);
  border-radius: var(--radius);
}
.flash {
  margin-bottom: 1.25rem;
  border-color: transparent;
  background: var(--good-soft);
  color: var(--good);
  font-weight: 550;
}
@media (prefers-reduced-motion: no-preference) {
  .flash {
    animation: arrive 0.25s ease-out;
  }
  @keyframes arrive {
    from {
      opacity: 0;
      transform: translateY(-0.375rem);
    }
  }
}
.callout.bad {
  border-color: var(--bad-line);
  background: var(--bad-soft);
}
.callout.bad h2,
.callout.bad a:not(.button) {
  color: var(--bad);
}
.callout.warning {
  border-color: var(--warn-line);
  background: var(--warn-soft);
  color: var(--warn);
}
.callout.block {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  justify-content: space-between;
  gap: 0.75rem 1.5rem;
  margin-bottom: 1.25rem;
}
.reason {
  white-space: pre-line;
}

.badge,
.tag {
  display: inline-block;
  padding: 0.0625rem 0.5rem;
  border-radius: 1rem;
  background: var(--sunk);
  color: var(--soft);
  font-size: 0.75rem;
  font-weight: 600;
  line-height: 1.5;
  white-space: nowrap;
}
.badge.good {
  background: var(--good-soft);
  color: var(--good);
}
.badge.warn {
  background: var(--warn-soft);
  color: var(--warn);
}
.badge.bad {
  background: var(--bad-soft);
  color: var(--bad);
}
.tag {
  border-radius: 0.375rem;
  background: var(--accent-soft);
  color: var(--accent);
  font-family: var(--mono);
  white-space: normal;
}
`;
