// The texts of the server's view, of drains and of the event log in simplified Chinese.

/** @param {string} [by] */
const byWhom = by => by ? `(操作者:${by})` : ''
/** @param {string} [cause] */
const because = cause => cause ? `:${cause}` : ''
/** @type {Record<string, string>} */
const outcomes = { accepted: '已接受', rejected: '已拒绝', cancelled: '已取消', timedOut: '已超时', roomClosed: '已结束:房间关闭', seated: '已结束:已上麦', left: '已结束:已离开' }
/** @param {string} outcome */
const outcomeOf = outcome => outcomes[outcome] ?? outcome
/** @type {Record<string, string>} */
const departures = { kickedOut: '被移出', timedOut: '连接中断', duplicateLogin: '在别处加入', serverStopping: '离开:服务器正在停止', roomClosed: '离开:房间关闭' }

/** @type {typeof import('./text-server-en.js').serverEn} */
export const serverZh = {
  server: {
    range: '显示时段',
    minutes: value => `${value} 分钟`,
    hour: '1 小时',
    processor: '处理器',
    memory: '内存',
    packets: '数据包',
    traffic: '流量',
    participants: '参与者',
    dropped: '丢弃的数据包',
    sent: '发送',
    received: '接收',
    joins: '加入',
    out: '出',
    in: '入',
    nothingYet: '暂无数据',
    byReason: '丢弃原因',
    noDrops: '目前没有丢弃数据包。',
    facts: (up, workers, cores, files) => `已运行 ${up} · ${workers} 个工作线程,${cores} 核 · ${files} 个打开的文件`,
    ofAll: share => `共 ${share}`,
    inRings: size => `数据包缓冲 ${size}`,
    inRooms: (rooms, tracks) => `${rooms} 个房间,${tracks} 条轨道`,
    joinFacts: (refused, resumed) => `拒绝 ${refused},恢复 ${resumed}`,
    workers: '媒体工作线程',
    columns: { port: '端口', load: '处理器', rooms: '房间', transports: '传输', tracks: '轨道', subscriptions: '订阅', in: '入', out: '出', dropped: '丢弃' },
  },
  drain: {
    drain: '排空',
    start: '排空…',
    change: '修改…',
    cancel: '取消排空',
    idle: '正在接受新客户端。停止服务器前请先排空:已开的房间会继续,但不再开新房间。',
    draining: (time, rest, redirect) => `服务器正在排空,最迟于 ${time} 停止。剩余:${rest.rooms} 个房间、${rest.participants} 名参与者、${rest.viewers} 名观众、${rest.streams} 路直播。${
      redirect ? `新客户端会转到 ${redirect}。` : '新客户端会被要求重试。'}`,
    title: '排空此服务器',
    text: '不再开新房间,所有客户端离开后停止。',
    minutes: '分钟',
    minutesHint: '到时断开剩余的客户端。',
    redirect: '接管的服务器',
    redirectHint: '其信令地址:客户端会自动重连到那里。留空则重连到此服务器。',
  },
  happened: {
    seat: index => index >= 0 ? `${index + 1} 号麦` : '麦位',
    someone: '一名参与者',
    opened: '已开启',
    restored: count => `重启后恢复,等待 ${count} 名参与者`,
    closed: by => `已关闭${byWhom(by)}`,
    joined: (user, isHidden) => `${user} ${isHidden ? '隐身加入' : '加入'}`,
    left: (user, reason, by) => `${user} ${departures[reason] ?? '离开'}${byWhom(by)}`,
    kicked: (user, by) => `${user} 被踢出${byWhom(by)}`,
    published: (user, what) => `${user} 发布 ${what}`,
    unpublished: user => `${user} 停止发布一条轨道`,
    requested: (user, seat) => `${user} 申请${seat}`,
    requestEnded: (user, outcome, by) => `${user} 的申请${outcomeOf(outcome)}${byWhom(by)}`,
    invited: (user, seat, by) => `${user} 被邀请上${seat}${byWhom(by)}`,
    invitationEnded: (user, outcome, by) => `对 ${user} 的邀请${outcomeOf(outcome)}${byWhom(by)}`,
    jobStarted: (job, target) => `任务 ${job} 开始${target ? `,推向 ${target}` : ''}`,
    jobOnAir: job => `任务 ${job} 正在播出`,
    jobConnected: job => `任务 ${job} 已连接`,
    jobReconnecting: (job, cause) => `任务 ${job} 正在重连${because(cause)}`,
    jobFailed: (job, cause) => `任务 ${job} 失败${because(cause)}`,
    jobEnded: (job, cause) => `任务 ${job} 结束${because(cause)}`,
    pkInvited: (from, to) => `PK:${from} 邀请 ${to}`,
    pkInvitationEnded: (outcome, by) => `PK 邀请${outcomeOf(outcome)}${byWhom(by)}`,
    pkBegan: (user, room) => `与 ${room} 的 ${user} PK`,
    pkOnAir: job => `PK 已在任务 ${job} 中播出`,
    pkChanged: (own, peer) => `PK ${own} : ${peer}`,
    pkEnded: (own, peer, by) => `PK 结束,${own} : ${peer}${byWhom(by)}`,
    recordingReady: (name, size) => `${name} 已就绪,${size}`,
    recordingFailed: (name, cause) => `${name} 中断${because(cause)}`,
    recordingDeleted: name => `${name} 已删除`,
    recordingFinished: (name, size, cause) => `已录制 ${name},${size}${because(cause)}`,
    seatSwitched: (seat, now, by) => {
      const changes = [now.locked !== undefined && (now.locked ? '已锁定' : '已解锁'), now.muted !== undefined && (now.muted ? '已静音' : '已取消静音')].filter(Boolean)
      return `${seat}${changes.join('、') || '已更改'}${byWhom(by)}`
    },
    seatTaken: (user, seat) => `${user} 上了${seat}`,
    seatLeft: (user, seat) => `${user} 离开${seat}`,
    seatRemoved: (user, seat, by) => `${user} 被移出${seat}${byWhom(by)}`,
  },
}
