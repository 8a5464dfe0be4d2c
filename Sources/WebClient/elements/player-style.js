// The style of the player. Its colours do not follow a theme: it is a picture. A page changes it by the custom properties
// --room-player-background, -color, -radius, -live and -font, and by ::part(video), (note), (sound), (bar), (button), (volume),
// (live), (behind), (missing) and (quality).

export const style = `
:host { display: block; aspect-ratio: 16 / 9; width: 100%; overflow: hidden; border-radius: var(--room-player-radius, 10px); background: var(--room-player-background, #000); }
:host([hidden]), [hidden] { display: none !important; }
* { box-sizing: border-box; }
.screen {
  position: relative; width: 100%; height: 100%; display: grid; place-items: center; overflow: hidden;
  color: var(--room-player-color, #fff); font: 14px/1.5 var(--room-player-font, system-ui, sans-serif);
}
video { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: contain; }
:host(:is([state=offline], [state=unplayable], [state=refused], [state=lost])) video { visibility: hidden; }
.note { position: relative; display: grid; gap: 6px; justify-items: center; text-align: center; padding: 16px; max-width: 90%; background: rgb(0 0 0 / 60%); border-radius: 10px; }
.note b { font-size: 18px; }
.sound {
  position: absolute; top: 14px; inset-inline-start: 14px; padding: 9px 15px; border: 0; border-radius: 99px; font: inherit; font-weight: 600;
  background: #fff; color: #16161b; cursor: pointer;
}
.bar {
  position: absolute; inset: auto 0 0; display: flex; align-items: center; gap: 8px; padding: 26px 10px 8px; opacity: 0;
  background: linear-gradient(transparent, rgb(0 0 0 / 75%)); transition: opacity 0.2s; font-size: 13px;
}
.stirred .bar, .bar:focus-within, :host(:not([state=playing])) .bar { opacity: 1; }
.spacer { flex: 1; }
.bar button { display: inline-grid; place-items: center; width: 38px; height: 38px; padding: 0; border: 0; border-radius: 7px; background: none; color: inherit; cursor: pointer; flex: none; }
.bar button:hover { background: rgb(255 255 255 / 16%); }
.icon { width: 18px; height: 18px; display: block; }
:focus-visible { outline: 2px solid currentColor; outline-offset: -3px; }
.volume { width: 84px; accent-color: currentColor; }
.live { padding: 1px 8px; border-radius: 99px; background: var(--room-player-live, #c42b35); font-size: 12px; font-weight: 600; }
.live, .behind, .missing { white-space: nowrap; }
.behind { font-variant-numeric: tabular-nums; }
.missing { opacity: 0.8; overflow: hidden; text-overflow: ellipsis; }
.quality { background: rgb(0 0 0 / 60%); color: inherit; border: 1px solid rgb(255 255 255 / 50%); border-radius: 7px; padding: 5px 6px; font: inherit; }
.quality option { background: #131317; color: #fff; }
@media (width < 560px) { .volume { display: none; } .bar { gap: 3px; } }
@media (hover: none) { .volume { display: none; } }
@media (prefers-reduced-motion: reduce) { .bar { transition: none; } }
`
