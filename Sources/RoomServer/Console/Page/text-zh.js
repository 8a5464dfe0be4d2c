// All texts in simplified Chinese, with the members of `text-en.js`.
/** @type {typeof import('./text-en.js').en} */
export const zh = {
  common: {
    close: '关闭',
    cancel: '取消',
    copy: '复制',
    copied: '已复制',
    noScript: '控制台需要 JavaScript。',
  },
  shell: {
    rooms: '房间',
    room: '房间',
    overview: '总览',
    live: '直播',
    server: '服务器',
    moved: host => `服务器已排空,现已连接到 ${host}。`,
  },
  stage: {},
  pk: {},
  seats: {},
  chat: {},
  room: {},
  operator: {},
  server: {},
  recordings: {},
  watch: {},
}
