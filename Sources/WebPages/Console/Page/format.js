// Formats numbers and times.
import { language, text } from './text.js'

const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 })

/** @param {number} value */
export const count = value => value < 100_000 ? whole.format(value) : short.format(value)

// Kilobits per second: ['1.24', 'Mbps'].
/** @param {number} kbps @returns {[string, string]} */
export function rate(kbps) {
  if (kbps >= 999_950) return [(kbps / 1e6).toFixed(2), 'Gbps']
  if (kbps >= 999.5) return [(kbps / 1000).toFixed(kbps >= 9_950 ? 1 : 2), 'Mbps']
  return [Math.round(kbps).toString(), 'kbps']
}

/** @param {number} value @returns {[string, string]} */
export function bytes(value) {
  for (const [unit, size] of /** @type {Array<[string, number]>} */ ([['GB', 2 ** 30], ['MB', 2 ** 20], ['kB', 2 ** 10]])) {
    if (value >= size) return [(value / size).toFixed(value / size < 10 ? 1 : 0), unit]
  }
  return [Math.round(value).toString(), 'B']
}

/** @param {[string, string]} given */
export const joined = ([number, unit]) => `${number}\u202f${unit}`
/** @param {number} share @param {number} [digits] */
export const percent = (share, digits = 1) => `${(share * 100).toFixed(digits)}\u202f%`
/** @param {number} value */
export const milliseconds = value => `${value < 10 ? value.toFixed(1) : Math.round(value)}\u202fms`

export { duration } from './duration.js'

// A span in its two largest units: "3 h 12 min".
/** @param {number} ms */
export function span(ms) {
  const { s, min, h, d } = text.common.units
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds} ${s}`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} ${min}`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 ? `${hours} ${h} ${minutes % 60} ${min}` : `${hours} ${h}`
  const days = Math.floor(hours / 24)
  return hours % 24 ? `${days} ${d} ${hours % 24} ${h}` : `${days} ${d}`
}

/** @param {number} since */
export const ago = since => Date.now() - since < 5000 ? text.common.justNow : text.common.ago(span(Date.now() - since))
/** @param {number} at */
export const clock = at => new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
/** @param {number} at */
export const moment = at => new Date(at).toLocaleString(language === 'zh' ? 'zh-CN' : 'en-GB', { dateStyle: 'medium', timeStyle: 'short' })

/** @type {Record<string, string>} */
const CODECS = { h264: 'H.264', aac: 'AAC', vp8: 'VP8', vp9: 'VP9', av1: 'AV1', opus: 'Opus', hvc1: 'HEVC', av01: 'AV1' }
/** @param {string} codec */
export const codecName = codec => CODECS[codec] ?? codec

// What a stream or file consists of: "H.264 1280×720, AAC 48 kHz".
/** @param {{ video?: { codec: string, width?: number, height?: number }, audio?: { codec: string, sampleRate?: number } }} given */
export const formatOf = ({ video, audio }) => [
  video && `${codecName(video.codec)}${video.width ? ` ${video.width}×${video.height}` : ''}`, audio && `${codecName(audio.codec)}${audio.sampleRate ? ` ${audio.sampleRate / 1000} kHz` : ''}`,
].filter(Boolean).join(', ')
