// The look of <face-check>. A page changes it by custom properties and parts: docs/page.md

/** Texts beside the preview. */
const wide = `
  .check { flex-direction: row; align-items: stretch; }
  .preview { flex: 0 0 60%; }
  :host([fill]) .preview { flex: 0 0 60%; }
  .panel { flex: 1; gap: 28px; }
  .title { font-size: clamp(1.75rem, 3.4cqi, 3rem); }
  .detail { font-size: clamp(1.1rem, 1.9cqi, 1.6rem); }
  .buttons { flex-direction: column-reverse; align-items: center; }
  button { flex: none; width: 100%; min-height: 60px; font-size: clamp(1.05rem, 1.8cqi, 1.4rem); }
`;

/** Where there is little height: a phone on its side. */
const short = `
  .panel { min-height: 0; gap: 14px; padding: 16px; }
  .title { font-size: clamp(1.15rem, 7cqb, 1.75rem); }
  .detail { font-size: clamp(0.9rem, 4.6cqb, 1.1rem); }
  button { min-height: 48px; font-size: 1rem; }
`;

/** The colours remain apart with any colour vision, 6:1 and more from the ground. */
export const styleText = `
:host {
  display: block; container: check / inline-size; contain: content;
  --_ground: var(--face-check-ground, #0f1521);
  --_text: var(--face-check-text, #ffffff);
  --_soft: var(--face-check-soft, #c8d4e4);
  --_plate: var(--face-check-plate, #3e4e6a);
  --_calm: var(--face-check-calm, #46a0f5);
  --_attention: var(--face-check-attention, #ffc83c);
  --_good: var(--face-check-good, #50e196);
  --_bad: var(--face-check-bad, #f26e3c);
  --_dim: 0.68;
  color: var(--_text); background: var(--_ground);
  border-radius: var(--face-check-radius, 20px); overflow: hidden;
  font: var(--face-check-font, 400 1rem/1.4 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif);
}
:host([hidden]) { display: none; }
:host([fill]) { height: 100%; container: check-fill / size; }
* { box-sizing: border-box; margin: 0; }
[hidden] { display: none !important; }
.check { display: flex; flex-direction: column; }
:host([fill]) .check { height: 100%; }
.check[data-tone="calm"] { --_tone: var(--_calm); }
.check[data-tone="attention"] { --_tone: var(--_attention); }
.check[data-tone="good"] { --_tone: var(--_good); }
.check[data-tone="bad"] { --_tone: var(--_bad); }
.preview { position: relative; overflow: hidden; aspect-ratio: var(--face-check-aspect, 1); background: #080c14; }
:host([fill]) .preview { flex: 0 0 62%; aspect-ratio: auto; }
:host([fill]) .panel { flex: 1; min-height: 0; overflow: auto; justify-content: safe center; }
video { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover; }
.mirrored video { transform: scaleX(-1); }
.covered video { visibility: hidden; }
svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
.dim { fill: var(--_ground); fill-opacity: var(--_dim); fill-rule: evenodd; }
.covered .dim, .covered .mark { visibility: hidden; }
.covered { background: var(--_ground); }
.ring circle { stroke: var(--_tone); transform-box: fill-box; transform-origin: center; rotate: -90deg; }
.ring .faint { stroke: var(--_text); stroke-opacity: 0.28; }
.ring .breathing { stroke: var(--_text); stroke-opacity: 0.8; }
.ring .done { stroke: var(--_good); }
.mark {
  fill: none; stroke: var(--_text); stroke-opacity: 0.8; stroke-width: 2.5; stroke-dasharray: 0.075 0.175;
  stroke-dashoffset: 0.0375;
}
.badge { fill: var(--_tone); }
.badge-symbol { fill: none; stroke: var(--_ground); stroke-width: 0.2; stroke-linecap: round; stroke-linejoin: round; }
.badge-number { fill: var(--_ground); font-weight: 700; text-anchor: middle; dominant-baseline: central; }
.large-symbol { fill: none; stroke: var(--_tone); stroke-width: 0.13; stroke-linecap: round; stroke-linejoin: round; }
.taken {
  position: absolute; object-fit: cover; border: solid #ffffff; border-width: max(4px, 1cqi); border-radius: 14px;
  translate: -50% -50%; box-shadow: 0 12px 50px rgb(0 0 0 / 0.5);
}
.panel {
  display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 18px;
  padding: clamp(16px, 5cqi, 40px); text-align: center; min-height: 172px;
}
.title {
  overflow-wrap: anywhere; font-size: clamp(1.375rem, 5.4cqi, 2.25rem); font-weight: 700; line-height: 1.2;
  letter-spacing: -0.01em; text-wrap: balance;
}
.detail { margin-top: 0.45em; color: var(--_soft); font-size: clamp(1rem, 3.2cqi, 1.2rem); text-wrap: balance; }
:lang(ar) .title { letter-spacing: 0; line-height: 1.4; }
.buttons { display: flex; flex-wrap: wrap; justify-content: center; gap: 12px; width: 100%; }
.buttons:empty { display: none; }
button {
  font: inherit; font-weight: 650; flex: 1 1 0; min-height: 52px; max-width: 24em; padding: 0.6em 0.8em;
  text-wrap: balance; border: 0; border-radius: 14px; background: var(--_plate); color: var(--_text); cursor: pointer;
}
button.primary { background: var(--_text); color: var(--_ground); }
button:hover { filter: brightness(0.92); }
button:focus-visible { outline: 3px solid var(--_attention); outline-offset: 3px; }
@container check (min-width: 720px) { ${wide} }
@container check-fill (min-width: 720px) and (min-aspect-ratio: 1.1) { ${wide} }
@container check-fill (min-width: 480px) and (min-aspect-ratio: 1.3) { ${wide} }
@container check-fill (min-aspect-ratio: 1.3) and (max-height: 460px) { ${short} }
@media (orientation: landscape) and (max-height: 520px) {
  @container check (min-width: 480px) {
    ${wide}
    :host(:not([fill])) .preview { max-height: calc(100dvh - 24px); }
    :host(:not([fill])) .panel { min-height: 0; gap: 14px; }
  }
}
@media (prefers-reduced-motion: no-preference) {
  .ring .turning { animation: turn 1.6s linear infinite; }
  .ring .breathing { animation: breathe 3.6s ease-in-out infinite; }
  .ring .pulsing { animation: pulse 1.2s ease-in-out infinite; }
  .mark { transition: cx 90ms linear, cy 90ms linear, r 90ms linear; }
}
@keyframes turn { from { rotate: -90deg; } to { rotate: 270deg; } }
@keyframes breathe { 50% { stroke-opacity: 0.35; } }
@keyframes pulse { 50% { stroke-opacity: 0.5; } }
@media (prefers-contrast: more) {
  :host { --_ground: var(--face-check-ground, #000000); --_soft: #ffffff; --_dim: 0.85; --_plate: #5f5f5f; }
}
@media (forced-colors: active) {
  button { border: 2px solid ButtonText; }
}
`;
