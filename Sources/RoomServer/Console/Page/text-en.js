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
  watch: {
    player: 'Player',
    connecting: 'Connecting…',
    reconnecting: 'Reconnecting…',
    offline: 'Not live',
    offlineHint: 'This page starts by itself when it goes live.',
    unplayable: 'This browser can’t play the stream.',
    unplayableHint: 'Open it in another browser, or in a player such as VLC.',
    refused: 'This room is not public',
    refusedHint: 'Ask its host for a link. If you have one, it may have expired.',
    lost: 'No connection to the server. Trying again…',
    live: 'Live',
    sound: 'Tap for sound',
    play: 'Play',
    pause: 'Pause',
    mute: 'Mute',
    unmute: 'Unmute',
    volume: 'Volume',
    quality: 'Quality',
    original: 'Original',
    inset: 'Picture in picture',
    full: 'Full screen',
    chat: 'Chat',
    noMessages: 'No messages yet',
    /** @param {string} seconds */
    behind: seconds => `${seconds} s behind`,
    /** @param {number} count */
    viewers: count => count === 1 ? '1 viewer' : `${count} viewers`,
    /** @param {string} type @param {number} count */
    gift: (type, count) => count > 1 ? `sent ${count} × ${type}` : `sent ${type}`,
    share: 'Share',
    shareHint: 'Anybody with the link can watch.',
    sharePrivate: 'The room is not public. This link lets anybody watch for a day.',
    makePublic: 'Anybody may watch',
    showChat: 'Show the chat to viewers',
    page: 'Watch page',
    embed: 'Embed in a page',
    code: 'QR code of the watch page',
    openPage: 'Open the watch page',
    /** @param {string} time */
    expires: time => `These URLs are signed, and valid until ${time}.`,
    /** @param {string} name */
    copyOf: name => `Copy: ${name}`,
  },
}
