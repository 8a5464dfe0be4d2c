// The words of the elements of a room, in English and Chinese.
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
  stage: {
    stage: 'Stage',
    others: 'Others',
    host: 'Host',
    you: 'You',
    mix: 'Everybody',
    seat: (/** @type {number} */ number) => `Seat ${number}`,
    locked: 'Locked',
    away: 'Connection lost',
    muted: 'Microphone off',
    speaking: 'Speaking',
    enlarge: (/** @type {string} */ name) => `Enlarge ${name}`,
    pk: 'PK',
    left: 'Time left',
    elapsed: 'Time elapsed',
    yourConnection: 'Your connection',
    connectionOf: (/** @type {string} */ user) => `${user}’s connection`,
    connection: (/** @type {string} */ up, /** @type {string} */ down) => `sending ${up}, receiving ${down}`,
  },
}

/** @typedef {typeof en} Words */
/** @type {Words} */
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
  stage: {
    stage: '舞台',
    others: '其他成员',
    host: '主播',
    you: '我',
    mix: '全部成员',
    seat: number => `${number} 号麦位`,
    locked: '已锁定',
    away: '连接已断开',
    muted: '麦克风已关闭',
    speaking: '正在说话',
    enlarge: name => `放大${name}`,
    pk: 'PK',
    left: '剩余时间',
    elapsed: '已进行时间',
    yourConnection: '您的网络',
    connectionOf: user => `${user} 的网络`,
    connection: (up, down) => {
      /** @type {Record<string, string>} */
      const words = { good: '良好', weak: '较弱', bad: '很差' }
      return `上行${words[up] ?? up},下行${words[down] ?? down}`
    },
  },
}

/** @param {Element} node */
export const wordsFor = node => chosen(node, { en, zh })
