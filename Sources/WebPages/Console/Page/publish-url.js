// The publish URLs of a live stream.
import { text } from './text.js'

// The URL of this server's origin for a room.
/** @param {string} room */
export const originURL = room => `rtmp://origin/live/${room}`

// Why a text is no publish URL; empty if it is one, or nothing.
/** @param {string} url */
export const wrongURL = url => !url || [/^rtmps?:\/\/[^\s/]+\/\S+$/, /^srt:\/\/[^\s/?]+:\d+(\/?\?\S*)?$/, /^file:[^\s/]+\.(mp4|flv)$/].some(form => form.test(url))
  ? '' : text.stage.wrongURL
