// The style of <room-stage>. Frames are parts of the picture, as viewers see them in each direction of text; captions follow the page's.

export const style = `
:host { display: grid; gap: var(--room-stage-gap, 4px); font: 14px/1.4 var(--room-stage-font, system-ui, sans-serif); }
:host([hidden]), [hidden] { display: none !important; }
ul { margin: 0; padding: 0; list-style: none; }
.canvas {
  position: relative; container-type: size; overflow: hidden; width: min(100%, calc(var(--room-stage-height, 75vh) * var(--ratio))); aspect-ratio: var(--ratio);
  margin-inline: auto; border-radius: var(--room-stage-radius, 10px); background: var(--room-stage-background, #16161c);
}
.canvas .tile { position: absolute; border-radius: var(--corner); }
.others { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(10rem, 100%), 1fr)); gap: var(--room-stage-gap, 4px); }
.canvas[hidden] + .others { grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); }
.others .tile { position: relative; aspect-ratio: 16 / 9; max-height: var(--room-stage-height, 75vh); border-radius: var(--room-stage-radius, 10px); }
.tile { display: grid; place-items: center; overflow: hidden; color: #fff; background: var(--room-stage-background, #16161c); box-shadow: inset 0 0 0 1px #fff1; }
video { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover; visibility: hidden; }
.pictured video { visibility: visible; }
.mirrored video { transform: scaleX(-1); }
.pictured .face { visibility: hidden; }
.face { display: grid; place-items: center; width: 2.6em; height: 2.6em; border-radius: 50%; background: #3d4a63; font-size: 1.3em; text-transform: uppercase; }
.level {
  position: absolute; inset: 0; border-radius: inherit; border: 3px solid var(--room-stage-speaking, #37c26b); opacity: var(--level); pointer-events: none;
  transition: opacity 120ms;
}
.speaking .level { opacity: max(0.6, var(--level)); }
.caption {
  position: absolute; inset-inline: 0; inset-block-end: 0; display: flex; align-items: center; gap: 0.4em; padding: 0.3em 0.6em; pointer-events: none;
  background: linear-gradient(transparent, #000a); text-shadow: 0 1px 2px #000;
}
.name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: isolate; }
.owner { padding: 0 0.45em; border-radius: 99px; background: #fff3; font-size: 0.85em; white-space: nowrap; }
.state { opacity: 0.8; white-space: nowrap; }
.state:empty { display: none; }
.muted { margin-inline-start: auto; width: 1.2em; height: 1.2em; color: #ff7a70; flex: none; }
.quality-bars { display: flex; gap: 3px; flex: none; margin-inline-start: auto; }
.muted:not([hidden]) + .quality-bars { margin-inline-start: 0; }
.quality-bars svg { width: 18px; height: 11px; fill: currentColor; }
.quality-bars path { fill: none; stroke: currentColor; stroke-width: 1.2; stroke-linecap: round; stroke-linejoin: round; }
.quality-bars [data-quality=weak] { color: #f0b44c; }
.quality-bars [data-quality=bad] { color: #ff7a70; }
[data-quality=weak] rect:nth-of-type(3), [data-quality=bad] rect:nth-of-type(n + 2) { opacity: 0.3; }
.tile-score {
  position: absolute; inset-block-start: 0.4em; inset-inline-start: 0.4em; display: flex; gap: 0.5em; align-items: baseline; max-width: calc(100% - 0.8em); padding: 0.1em 0.6em;
  border-radius: 99px; background: #000a; white-space: nowrap; pointer-events: none;
}
.win { color: #ffd166; }
.free { color: #fff8; }
.enlarge { position: absolute; inset: 0; padding: 0; border: 0; background: none; border-radius: inherit; cursor: pointer; }
.enlarge:focus-visible { outline: 3px solid #fff; outline-offset: -5px; }
.score {
  direction: ltr; display: grid; grid-template-columns: 1fr auto 1fr; gap: 2px 10px; align-items: center; width: min(100%, calc(var(--room-stage-height, 75vh) * var(--ratio)));
  margin-inline: auto;
}
.own, .peer { display: flex; gap: 0.5em; min-width: 0; align-items: baseline; }
.peer { justify-content: flex-end; }
.own b { margin-inline-start: auto; }
.peer b { margin-inline-end: auto; }
.score-side { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: isolate; }
.number { font-variant-numeric: tabular-nums; }
.score-result { grid-column: 1 / -1; text-align: center; }
.score-line { grid-column: 1 / -1; display: block; height: 6px; border-radius: 3px; overflow: hidden; background: var(--room-stage-peer, #2f7bff); }
.score-line i { display: block; height: 100%; background: var(--room-stage-own, #ff3d71); transition: width 300ms; }
@media (prefers-reduced-motion: reduce) { .level, .score-line i { transition: none; } }
`
