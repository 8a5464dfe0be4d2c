// The words of the player, in English and Chinese.
import { chosen } from './language-of.js'

const en = {
  player: 'Player',
  connecting: ['Connecting…'],
  reconnecting: ['Reconnecting…'],
  offline: ['Not live', 'This page starts by itself when it goes live.'],
  lost: ['No connection to the server. Trying again…'],
  reasons: {
    codec: ['This browser can’t play the stream.', 'It lacks the codecs. Open the page in another browser, or the stream in a player such as VLC.'],
    network: ['The network does not carry the stream.', 'Try another network, or turn off a VPN or firewall that blocks UDP or media. This page tries again by itself.'],
    permission: ['This room is not public', 'Ask its host for a link.'],
    token: ['This link is no longer valid', 'It has expired, or its user was removed from the room. Ask the host for a new one.'],
    server: ['No connection to the server. Trying again…'],
    source: ['This address can’t be played.', 'It is the address of neither a watch page nor a stream.'],
  },
  notInHLS: (/** @type {string} */ codecs) => `Without ${codecs}, which HLS does not carry.`,
  live: 'Live',
  sound: 'Tap for sound',
  play: 'Play',
  pause: 'Pause',
  mute: 'Mute',
  unmute: 'Unmute',
  volume: 'Volume',
  quality: 'Quality',
  original: 'Original',
  auto: 'Auto',
  inset: 'Picture in picture',
  full: 'Full screen',
  behind: (/** @type {string} */ seconds) => `${seconds} s behind`,
}

/** @type {typeof en} */
const zh = {
  player: '播放器',
  connecting: ['正在连接…'],
  reconnecting: ['正在重新连接…'],
  offline: ['未开播', '开播后本页会自动播放。'],
  lost: ['无法连接服务器,正在重试…'],
  reasons: {
    codec: ['此浏览器无法播放该直播。', '缺少所需的解码器。请换用其他浏览器,或使用 VLC 等播放器。'],
    network: ['当前网络无法传输该直播。', '请换用其他网络,或关闭会拦截 UDP 或媒体流的 VPN、防火墙。本页会自动重试。'],
    permission: ['此房间未公开', '请向主播索取链接。'],
    token: ['此链接已失效', '链接已过期,或该用户已被移出房间。请向主播索取新链接。'],
    server: ['无法连接服务器,正在重试…'],
    source: ['无法播放此地址。', '该地址既不是观看页面,也不是直播流。'],
  },
  notInHLS: codecs => `不含 ${codecs}:HLS 不支持。`,
  live: '直播中',
  sound: '点按开启声音',
  play: '播放',
  pause: '暂停',
  mute: '静音',
  unmute: '取消静音',
  volume: '音量',
  quality: '清晰度',
  original: '原画',
  auto: '自动',
  inset: '画中画',
  full: '全屏',
  behind: seconds => `延迟 ${seconds} 秒`,
}

/** @param {Element} node */
export const wordsFor = node => chosen(node, { en, zh })
