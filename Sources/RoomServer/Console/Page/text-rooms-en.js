// The English texts of the lists of rooms and streams, and of the overview. `text-rooms-zh.js` has the same members.

/** @param {number} value @param {string} one @param {string} [many] */
const some = (value, one, many = `${one}s`) => `${value.toLocaleString('en')} ${value === 1 ? one : many}`

export const roomsEn = {
  // What all lists have: search, filters, order, pages, and what is shown of a server that does not answer.
  lists: {
    search: 'Search',
    filter: 'Filter',
    order: 'Order',
    more: 'More',
    clear: 'Clear the search',
    noMatch: 'Nothing matches',
    noMatchHint: 'Try another part of a name, or another filter.',
    /** @param {string} shown @param {string} all */
    shown: (shown, all) => `${shown} of ${all}`,
    /** @param {string} time */
    asOf: time => `What you see below is as of ${time}.`,
    actions: 'Actions',
    people: (/** @type {number} */ value) => some(value, 'participant'),
    rooms: (/** @type {number} */ value) => some(value, 'room'),
    viewers: (/** @type {number} */ value) => some(value, 'viewer'),
    jobs: (/** @type {number} */ value) => some(value, 'job'),
    live: (/** @type {number} */ value) => `${value.toLocaleString('en')} live`,
  },
  // The state of a room, in lists and on tiles.
  state: {
    starting: 'Starting…',
    live: 'Live',
    failing: 'Not on air',
    voice: 'Voice',
    empty: 'Empty',
    /** @param {string} span */
    liveFor: span => `Live for ${span}`,
    /** @param {string} room */
    pk: room => `PK with ${room}`,
    /** @param {number} count */
    seats: count => `${count} on seats`,
    /** @param {string} names */
    speaking: names => `Speaking: ${names}`,
    /** @param {string} names @param {number} count */
    andMore: (names, count) => `${names} and ${count} more`,
  },
  rooms: {
    searchHint: 'Room or user',
    filters: { all: 'All', live: 'Live', failing: 'Not on air', pk: 'PK', voice: 'Voice', empty: 'Empty' },
    orders: { live: 'Most active', name: 'Name', created: 'Newest', participants: 'Participants' },
    columns: { name: 'Room', state: 'State', people: 'In it', participants: 'Participants', viewers: 'Viewers', created: 'Created' },
    newRoom: 'New room',
    none: 'No rooms yet',
    noneHint: 'Go live, or create a room. A room also opens with its first participant if the server creates rooms on join.',
    newRoomText: 'It closes automatically after five minutes without participants.',
    name: 'Name',
    nameHint: 'Up to 64 letters, digits and _ . @ : -',
    create: 'Create room',
    /** @param {string} room */
    delete: room => `Delete ${room}`,
    /** @param {string} room */
    deleted: room => `${room} was deleted.`,
  },
  lives: {
    searchHint: 'Stream or encoder',
    filters: { all: 'All', rooms: 'Rooms', encoders: 'Encoders', pk: 'PK', voice: 'Voice' },
    orders: { viewers: 'Most viewers', name: 'Name', since: 'Newest', kbps: 'Bitrate' },
    columns: { stream: 'Stream', format: 'Format', bitrate: 'Bitrate', viewers: 'Viewers', since: 'Since' },
    streams: 'Streams',
    none: 'Nothing is live',
    noneHint: 'Go live from a room, or publish with an encoder to',
    /** @param {number} value */
    count: value => some(value, 'stream'),
    publishers: { job: 'A room', rtmp: 'An encoder', variant: 'Transcoded here' },
    waiting: 'Waiting for its publisher',
    protocols: { rtmp: 'RTMP', flv: 'FLV', hls: 'HLS' },
    /** @param {string} path */
    bitrateOf: path => `Bitrate of ${path} over the last minute`,
    /** @param {string} path */
    watch: path => `Watch ${path}`,
    /** @param {string} path */
    end: path => `End ${path}`,
    /** @param {string} path */
    endTitle: path => `End ${path}?`,
    endText: 'Its publisher is disconnected, and the stream ends for its viewers. It may be published again.',
    endButton: 'End stream',
  },
  overview: {
    processor: 'Processor',
    memory: 'Memory',
    jobs: 'Jobs',
    noJobs: 'No jobs.',
    broadcasts: 'Broadcasts',
    noBroadcasts: 'Nothing is live at this origin.',
    events: 'Events',
    noEvents: 'Nothing happened so far.',
    rooms: 'Rooms',
    /** @param {number} count */
    allRooms: count => `All ${count.toLocaleString('en')} rooms`,
    noRoomsHint: 'Go live, or create a room, to see its picture here.',
    inRoom: ' in ',
    kinds: { forward: 'forward', merge: 'mix' },
    /** @param {string} target */
    to: target => `to ${target}`,
    /** @param {string} user */
    intoRoom: user => `into the room as ${user}`,
  },
}
