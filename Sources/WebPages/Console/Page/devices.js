// The user's cameras, microphones and screens, with test sources, the user's choices and words for what fails.
import { DeviceError, listSpeakers, openCamera, openMicrophone, unavailable as cause } from './capture.js'
import { TEST, testPicture, testTone } from './test-sources.js'
import { text } from './text.js'

const CHOICES = 'roomserver.devices'

// What the user has chosen for all devices: echo cancellation, noise suppression, blur, and the speaker. It stays in this browser.
export const choices = { echo: true, noise: true, blur: false, speaker: '' }
try { Object.assign(choices, JSON.parse(localStorage.getItem(CHOICES) ?? '{}')) } catch { /* storage is off: the defaults apply */ }

/** @param {Partial<typeof choices>} changes */
export function choose(changes) {
  Object.assign(choices, changes)
  try { localStorage.setItem(CHOICES, JSON.stringify(choices)) } catch { /* the choice lasts until the page closes */ }
}

// Why no devices are available; null if they may be.
export function unavailable() {
  const why = cause()
  return why && (why === 'insecure' ? text.stage.insecure : text.stage.noDevices)
}

// A camera by its id, or by the side of a phone that it faces: 'user' or 'environment'.
/** @param {string} [deviceId] @param {string} [facing] */
export async function camera(deviceId, facing) {
  return deviceId === TEST ? testPicture() : openCamera({ deviceId, facing, blur: choices.blur }).catch(inWords)
}

/** @param {string} [deviceId] */
export async function microphone(deviceId) {
  return deviceId === TEST ? testTone() : openMicrophone({ deviceId, echo: choices.echo, noise: choices.noise }).catch(inWords)
}

/** @param {Error} error @returns {never} */
function inWords(error) {
  if (!(error instanceof DeviceError) || error.device === 'screen') throw error
  const { denied, missing, busy, unusable } = text.stage.device[error.device]
  const words = { denied, missing, busy, unusable: `${unusable} ${error.message}`, insecure: text.stage.insecure, unsupported: text.stage.noDevices }
  throw new Error(words[/** @type {DeviceCause} */ (error.name)])
}

// Devices with names, and the test source. The browser tells names once the user has allowed one of them.
/** @param {'camera' | 'microphone'} kind @param {Array<{ id: string, name: string }>} found */
export const named = (kind, found) => [...found.map(({ id, name }, index) => ({ id, name: name || `${text.stage[kind]} ${index + 1}` })), { id: TEST, name: kind === 'camera' ? text.stage.testPicture : text.stage.testTone }]

// The speakers that a page may choose from; empty if the browser offers no choice.
export const speakers = async () => (await listSpeakers()).map(({ id, name }) => ({ id, name: name || id }))

export { canShareScreen, deviceOf, isMirrored, listen, loudness } from './capture.js'
