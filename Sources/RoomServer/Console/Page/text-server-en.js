// The English texts of the server's view, of drains and of the event log. `text-server-zh.js` has the same members.

/** @param {number} value @param {string} one */
const some = (value, one) => `${value.toLocaleString('en')} ${value === 1 ? one : `${one}s`}`
/** @param {string} [by] */
const byWhom = by => by ? ` by ${by}` : ''
/** @param {string} [cause] */
const because = cause => cause ? `, ${cause}` : ''
/** @type {Record<string, string>} */
const outcomes = { timedOut: 'timed out', roomClosed: 'ended: the room closed', seated: 'ended: seated', left: 'ended: left' }
/** @param {string} outcome */
const outcomeOf = outcome => outcomes[outcome] ?? outcome
/** @type {Record<string, string>} */
const departures = { kickedOut: 'was removed', timedOut: 'was lost', duplicateLogin: 'joined elsewhere', serverStopping: 'left: the server is stopping', roomClosed: 'left: the room closed' }

export const serverEn = {
  server: {
    range: 'Time shown',
    minutes: (/** @type {number} */ value) => `${value} min`,
    hour: '1 h',
    processor: 'Processor',
    memory: 'Memory',
    packets: 'Packets',
    traffic: 'Traffic',
    participants: 'Participants',
    dropped: 'Dropped packets',
    sent: 'Sent',
    received: 'Received',
    joins: 'Joins',
    out: 'out',
    in: 'in',
    nothingYet: 'nothing yet',
    byReason: 'Dropped, by reason',
    noDrops: 'No packet was dropped so far.',
    /** @param {string} up @param {number} workers @param {number} cores @param {number} files */
    facts: (up, workers, cores, files) => `Up for ${up} · ${some(workers, 'worker')} on ${some(cores, 'core')} · ${some(files, 'open file')}`,
    /** @param {string} share */
    ofAll: share => `of ${share}`,
    /** @param {string} size */
    inRings: size => `${size} in packet rings`,
    /** @param {number} rooms @param {number} tracks */
    inRooms: (rooms, tracks) => `in ${some(rooms, 'room')}, ${some(tracks, 'track')}`,
    /** @param {string} refused @param {string} resumed */
    joinFacts: (refused, resumed) => `${refused} refused, ${resumed} resumed`,
    workers: 'Media workers',
    columns: { port: 'Port', load: 'Processor', rooms: 'Rooms', transports: 'Transports', tracks: 'Tracks', subscriptions: 'Subscriptions', in: 'In', out: 'Out', dropped: 'Dropped' },
  },
  drain: {
    drain: 'Drain',
    start: 'Drain…',
    change: 'Change…',
    cancel: 'Go on as before',
    idle: 'Accepts new clients. Drain the server before you stop it: open rooms continue, and no room is opened.',
    /** @param {string} time @param {{ rooms: number, participants: number, viewers: number, streams: number }} rest @param {string} [redirect] */
    draining: (time, rest, redirect) => `This server is draining, and stops at ${time} at the latest. Remaining: ${[some(rest.rooms, 'room'), some(rest.participants, 'participant'), some(rest.viewers, 'viewer'), some(rest.streams, 'stream')].join(', ')}. ${
      redirect ? `New clients are redirected to ${redirect}.` : 'New clients are asked to try again.'}`,
    title: 'Drain this server',
    text: 'It opens no more rooms, and stops when no client is left.',
    minutes: 'Minutes',
    minutesHint: 'Remaining clients are disconnected then.',
    redirect: 'Server that takes over',
    redirectHint: 'Its signalling URL: clients reconnect there automatically. If empty, they reconnect here.',
  },
  // What the event log says of each event's data.
  happened: {
    /** @param {number} index */
    seat: index => index >= 0 ? `seat ${index + 1}` : 'a seat',
    someone: 'a participant',
    opened: 'opened',
    /** @param {number} count */
    restored: count => `restored after a restart, waiting for ${some(count, 'participant')}`,
    /** @param {string} [by] */
    closed: by => `closed${byWhom(by)}`,
    /** @param {string} user @param {boolean} isHidden */
    joined: (user, isHidden) => `${user} ${isHidden ? 'joined hidden' : 'joined'}`,
    /** @param {string} user @param {string} reason @param {string} [by] */
    left: (user, reason, by) => `${user} ${departures[reason] ?? 'left'}${byWhom(by)}`,
    /** @param {string} user @param {string} [by] */
    kicked: (user, by) => `${user} was kicked${byWhom(by)}`,
    /** @param {string} user @param {string} what */
    published: (user, what) => `${user} publishes ${what}`,
    /** @param {string} user */
    unpublished: user => `${user} unpublished a track`,
    /** @param {string} user @param {string} seat */
    requested: (user, seat) => `${user} requested ${seat}`,
    /** @param {string} user @param {string} outcome @param {string} [by] */
    requestEnded: (user, outcome, by) => `request of ${user} ${outcomeOf(outcome)}${byWhom(by)}`,
    /** @param {string} user @param {string} seat @param {string} [by] */
    invited: (user, seat, by) => `${user} is invited to ${seat}${byWhom(by)}`,
    /** @param {string} user @param {string} outcome @param {string} [by] */
    invitationEnded: (user, outcome, by) => `invitation of ${user} ${outcomeOf(outcome)}${byWhom(by)}`,
    /** @param {string} job @param {string} [target] */
    jobStarted: (job, target) => `job ${job} started${target ? `, to ${target}` : ''}`,
    /** @param {string} job */
    jobOnAir: job => `job ${job} is on air`,
    /** @param {string} job */
    jobConnected: job => `job ${job} is connected`,
    /** @param {string} job @param {string} [cause] */
    jobReconnecting: (job, cause) => `job ${job} reconnects${because(cause)}`,
    /** @param {string} job @param {string} [cause] */
    jobFailed: (job, cause) => `job ${job} failed${because(cause)}`,
    /** @param {string} job @param {string} [cause] */
    jobEnded: (job, cause) => `job ${job} ended${because(cause)}`,
    /** @param {string} from @param {string} to */
    pkInvited: (from, to) => `PK: ${from} invites ${to}`,
    /** @param {string} outcome @param {string} [by] */
    pkInvitationEnded: (outcome, by) => `PK invitation ${outcomeOf(outcome)}${byWhom(by)}`,
    /** @param {string} user @param {string} room */
    pkBegan: (user, room) => `PK with ${user} of ${room}`,
    /** @param {string} job */
    pkOnAir: job => `the PK is on air in job ${job}`,
    /** @param {number} own @param {number} peer */
    pkChanged: (own, peer) => `PK ${own} : ${peer}`,
    /** @param {number} own @param {number} peer @param {string} [by] */
    pkEnded: (own, peer, by) => `PK ended, ${own} : ${peer}${byWhom(by)}`,
    /** @param {string} name @param {string} size */
    recordingReady: (name, size) => `${name} is ready, ${size}`,
    /** @param {string} name @param {string} [cause] */
    recordingFailed: (name, cause) => `${name} was cut${because(cause)}`,
    /** @param {string} name */
    recordingDeleted: name => `${name} was deleted`,
    /** @param {string} name @param {string} size @param {string} [cause] */
    recordingFinished: (name, size, cause) => `recorded ${name}, ${size}${because(cause)}`,
    /** @param {string} seat @param {{ locked?: boolean, muted?: boolean }} now What changed, with its new value. @param {string} [by] */
    seatSwitched: (seat, now, by) => {
      const changes = [now.locked !== undefined && (now.locked ? 'locked' : 'unlocked'), now.muted !== undefined && (now.muted ? 'muted' : 'unmuted')].filter(Boolean)
      return `${seat} ${changes.join(' and ') || 'changed'}${byWhom(by)}`
    },
    /** @param {string} user @param {string} seat */
    seatTaken: (user, seat) => `${user} took ${seat}`,
    /** @param {string} user @param {string} seat */
    seatLeft: (user, seat) => `${user} left ${seat}`,
    /** @param {string} user @param {string} seat @param {string} [by] */
    seatRemoved: (user, seat, by) => `${user} was removed from ${seat}${byWhom(by)}`,
  },
}
