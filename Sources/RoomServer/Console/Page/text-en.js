// All texts in English, by the part of the page that shows them. `text-zh.js` has the same members, which the type check proves.
export const en = {
  // Buttons and states that several parts show.
  common: {
    close: 'Close',
    cancel: 'Cancel',
    copy: 'Copy',
    copied: 'Copied',
    noScript: 'This console needs JavaScript.',
  },
  // The frame around the views, and signing in.
  shell: {
    rooms: 'Rooms',
    room: 'Room',
    overview: 'Overview',
    live: 'Live',
    server: 'Server',
    /** @param {string} host */
    moved: host => `The server was drained. You are connected to ${host} now.`,
  },
  // Joining, going live, and the stage with its bar.
  stage: {},
  // Invitations, the running PK and its result.
  pk: {},
  // Seats, requests and invitations to them.
  seats: {},
  // Messages, likes and gifts.
  chat: {},
  // The cards of a room: people, tracks, jobs, attributes, settings.
  room: {},
  // Lists of rooms, the overview and the operator's history.
  operator: {},
  // The server's page, charts and the drain.
  server: {},
  // The list of recordings and their player.
  recordings: {},
  // The player and the watch page.
  watch: {},
}
