// The words of the chat and the seats, in English and Chinese.
import { chosen } from './language-of.js'

const en = {
  messages: 'Messages',
  message: 'Message',
  say: 'Say something',
  send: 'Send',
  operator: 'Operator',
  gives: (/** @type {string} */ type, /** @type {number} */ count) => `sends ${count} × ${type}`,
  seats: 'Seats',
  free: (/** @type {number} */ number) => `Seat ${number}`,
  locked: 'Locked',
  muted: 'Muted',
  take: 'Take the seat',
  ask: 'Ask for the seat',
  leave: 'Leave the seat',
}

/** @type {typeof en} */
const zh = {
  messages: '消息',
  message: '消息',
  say: '说点什么',
  send: '发送',
  operator: '管理员',
  gives: (type, count) => `送出 ${type} × ${count}`,
  seats: '麦位',
  free: number => `${number} 号麦位`,
  locked: '已锁定',
  muted: '已静音',
  take: '上麦',
  ask: '申请上麦',
  leave: '下麦',
}

/** @param {Element} node */
export const wordsFor = node => chosen(node, { en, zh })
