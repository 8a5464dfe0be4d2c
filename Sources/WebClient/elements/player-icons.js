// The line drawings of the player's buttons.

export const playerIcons = {
  play: 'M6.5 4l9 6-9 6z',
  pause: 'M7 4.5v11 M13 4.5v11',
  sound: 'M3.5 8v4H6l4 3.5v-11L6 8z M13 7.5a3.6 3.6 0 0 1 0 5 M15.2 5.3a6.7 6.7 0 0 1 0 9.4',
  'sound-off': 'M3.5 8v4H6l4 3.5v-11L6 8z M13 8l4 4 M17 8l-4 4',
  inset: 'M3 4.5h14v11H3z M10.5 10h4.5v3.5h-4.5z',
  wide: 'M3.5 8V3.5H8 M12 3.5h4.5V8 M16.5 12v4.5H12 M8 16.5H3.5V12',
}
