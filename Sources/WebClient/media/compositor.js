// Composes a person and another background by WebGL, on a page or in a worker.

const VERTICES = `#version 300 es
in vec2 corner; out vec2 at;
void main() { at = corner * vec2(.5, -.5) + .5; gl_Position = vec4(corner, 0, 1); }`

// The mask's red, which a picture with alpha has multiplied by it, is 1 in the person. Without a picture the frame's small mipmaps are the background.
const FRAGMENTS = `#version 300 es
precision mediump float;
in vec2 at; out vec4 colour;
uniform sampler2D frame, mask, picture;
uniform float blur; uniform vec2 cover;
void main() {
  vec4 near = texture(frame, at);
  vec4 far = vec4(0);
  if (blur > 0.) {
    vec2 step = exp2(blur) / vec2(textureSize(frame, 0));
    for (int x = -1; x <= 1; x++) for (int y = -1; y <= 1; y++) far += textureLod(frame, at + step * vec2(x, y), blur) / 9.;
  } else far = texture(picture, (at - .5) * cover + .5);
  colour = vec4(mix(far.rgb, near.rgb, smoothstep(.3, .7, texture(mask, at).r)), 1);
}`

/** @typedef {{ picture?: ImageBitmap, blur?: number }} Background a picture, or the strength of a blur from 1 to 8 */

export class Compositor {
  /** @param {OffscreenCanvas | HTMLCanvasElement} canvas @param {Background} background */
  constructor(canvas, { picture, blur = picture ? 0 : 5 }) {
    const gl = /** @type {WebGL2RenderingContext | null} */ (canvas.getContext('webgl2', { alpha: false, antialias: false, premultipliedAlpha: true }))
    if (!gl) throw new Error('The browser has no WebGL 2.')
    this.canvas = canvas
    this.gl = gl
    const program = /** @type {WebGLProgram} */ (gl.createProgram())
    for (const [kind, text] of /** @type {Array<[number, string]>} */ ([[gl.VERTEX_SHADER, VERTICES], [gl.FRAGMENT_SHADER, FRAGMENTS]])) {
      const shader = /** @type {WebGLShader} */ (gl.createShader(kind))
      gl.shaderSource(shader, text)
      gl.compileShader(shader)
      gl.attachShader(program, shader)
    }
    gl.linkProgram(program)
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(`WebGL: ${gl.getProgramInfoLog(program)}`)
    gl.useProgram(program)
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer())
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW)
    const corner = gl.getAttribLocation(program, 'corner')
    gl.enableVertexAttribArray(corner)
    gl.vertexAttribPointer(corner, 2, gl.FLOAT, false, 0, 0)
    this.#cover = gl.getUniformLocation(program, 'cover')
    gl.uniform1f(gl.getUniformLocation(program, 'blur'), Math.min(8, Math.max(0, blur)))
    ;['frame', 'mask', 'picture'].forEach((name, unit) => {
      gl.uniform1i(gl.getUniformLocation(program, name), unit)
      gl.activeTexture(gl.TEXTURE0 + unit)
      gl.bindTexture(gl.TEXTURE_2D, gl.createTexture())
      for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE)
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, name === 'frame' && blur ? gl.LINEAR_MIPMAP_LINEAR : gl.LINEAR)
    })
    this.#isBlurred = blur > 0
    this.#ratio = picture ? picture.width / picture.height : 1
    if (picture) this.#fill(2, picture)
  }

  /** @type {WebGLUniformLocation | null} */
  #cover
  #isBlurred = false
  #ratio = 1

  /** @param {number} unit @param {TexImageSource | VideoFrame} image */
  #fill(unit, image) {
    const { gl } = this
    gl.activeTexture(gl.TEXTURE0 + unit)
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, /** @type {any} */ (image))
  }

  // Draws the frame where the mask is, and the background elsewhere.
  /** @param {VideoFrame | ImageBitmap} frame @param {ImageBitmap} mask */
  draw(frame, mask) {
    const { gl, canvas } = this
    const { width, height } = 'displayWidth' in frame ? { width: frame.displayWidth, height: frame.displayHeight } : frame
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
    gl.viewport(0, 0, width, height)
    this.#fill(0, frame)
    if (this.#isBlurred) gl.generateMipmap(gl.TEXTURE_2D)
    this.#fill(1, mask)
    // The picture fills the frame, and is cut at two sides.
    const ratio = width / height / this.#ratio
    gl.uniform2f(this.#cover, Math.min(1, ratio), Math.min(1, 1 / ratio))
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4)
    return canvas
  }
}
