// The texts of the form for a stage's style, in English; loaded with it.
export const styleEn = {
  title: 'Style of the stage',
  hint: 'Broadcasts, recordings and the audience show it at once. Positions are pixels of the canvas.',
  /** @param {string} what */
  now: what => `In force: ${what}`,
  changed: 'The style was changed by somebody else while this form was open.',
  load: 'Load it',
  loaded: 'Somebody else changed the style. The form shows the new one.',
  applied: 'The stage has this style now.',
  canvas: 'Canvas',
  auto: 'By the camera: landscape or portrait',
  shapes: { '1280x720': 'Landscape, 1280x720', '720x1280': 'Portrait, 720x1280', '960x960': 'Square, 960x960', '640x360': 'Small, 640x360' },
  cornerRadius: 'Rounded corners, % of a frame’s shorter side',
  background: 'Background',
  backgrounds: { none: 'Black', colour: 'Colour', image: 'Image' },
  colour: 'Colour',
  pickColour: 'Pick a colour',
  backgroundImage: 'Image of the background',
  watermark: 'Watermark',
  watermarkImage: 'Image; empty for none',
  x: 'From the left',
  y: 'From the top',
  width: 'Width; empty for its own',
  opacity: 'Opacity in %',
  texts: 'Texts',
  text: 'Text',
  size: 'Size',
  clock: 'Clock (UTC)',
  addText: 'Add a text',
  /** @param {string} what */
  remove: what => `Remove ${what}`,
  show: 'Show',
  names: 'Names of the users',
  scores: 'Scores of a PK',
  upload: 'Upload an image',
  uploadHint: 'PNG or JPEG, at most 2 MB and 1920x1920 pixels.',
  /** @param {string} name */
  uploaded: name => `${name} can be chosen now.`,
  reset: 'Reset',
  apply: 'Apply',
  // Hints.
  /** @param {number} least @param {number} most */
  between: (least, most) => `A whole number from ${least} to ${most}.`,
  colourRule: 'A colour as #RRGGBB, such as #2255cc.',
  textLength: '1 to 64 characters.',
  imageName: 'The name of one of the room’s images.',
  /** @param {string[]} names */
  noImage: names => names.length ? `The room has no such image, only ${names.join(', ')}.` : 'The room has no image yet. Upload one below.',
  summary: { black: 'black', image: 'image', watermark: 'watermark', names: 'names', scores: 'scores', clock: 'clock', rounded: 'rounded corners' },
  /** @param {number} count */
  countTexts: count => count === 1 ? '1 text' : `${count} texts`,
}
